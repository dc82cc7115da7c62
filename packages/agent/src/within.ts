import type { Timers } from '@stoa/core';

/** The value of a promise if it resolves in time; otherwise undefined. */
export async function within<T>(
  timers: Timers,
  milliseconds: number,
  promise: Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  let cancel = (): void => undefined;
  const passed = new Promise<undefined>((resolve) => {
    cancel = timers.after(milliseconds, () => {
      resolve(undefined);
    });
  });
  try {
    return await Promise.race([promise.then((value) => ({ value })), passed]);
  } finally {
    cancel();
  }
}
