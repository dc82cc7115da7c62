import type { Timers } from '@stoa/core';

/** What came of it in time; undefined when the time passed first. */
export async function within<T>(
  timers: Timers,
  milliseconds: number,
  happens: Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  let callOff = (): void => undefined;
  const passed = new Promise<undefined>((resolve) => {
    callOff = timers.after(milliseconds, () => {
      resolve(undefined);
    });
  });
  try {
    return await Promise.race([happens.then((value) => ({ value })), passed]);
  } finally {
    callOff();
  }
}

/** The same, unless the signal aborts first: then it throws its reason. */
export async function unlessAborted<T>(signal: AbortSignal, happens: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([happens, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
