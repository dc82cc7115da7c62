import type { Timers } from '../ports.js';

/** Whether something that was told to go has gone in the time it is given; who goes on going, goes on. */
export async function isGoneWithin(
  timers: Timers,
  gone: Promise<void>,
  ms: number,
): Promise<boolean> {
  let callOff: () => void = () => undefined;
  const tooLate = new Promise<false>((resolve) => {
    callOff = timers.after(ms, () => {
      resolve(false);
    });
  });
  try {
    return await Promise.race([gone.then(() => true), tooLate]);
  } finally {
    callOff();
  }
}
