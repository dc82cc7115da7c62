import type { Timers } from '../ports.js';

/** Whether a promise resolves within a time. */
export async function settlesWithin(
  timers: Timers,
  done: Promise<void>,
  ms: number,
): Promise<boolean> {
  let cancel: () => void = () => undefined;
  const tooLate = new Promise<false>((resolve) => {
    cancel = timers.after(ms, () => {
      resolve(false);
    });
  });
  try {
    return await Promise.race([done.then(() => true), tooLate]);
  } finally {
    cancel();
  }
}
