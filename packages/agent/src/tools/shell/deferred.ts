/** A promise that other code resolves. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  resolve!: (value: T) => void;

  constructor() {
    this.promise = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}

/** Whether a promise resolves in time. */
export async function within(ms: number, happens: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([happens.then(() => true), passed]);
  } finally {
    clearTimeout(timer);
  }
}
