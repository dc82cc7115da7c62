import type { Timers } from '../../ports.js';

/** An agent that does not stop when it is told to counts as stopped after this. */
const STOP_GRACE_MS = 5_000;

/** Whether an agent let go of its work in the time it is given. */
export async function isGoneWithin(timers: Timers, gone: Promise<void>): Promise<boolean> {
  let callOff: () => void = () => undefined;
  const tooLate = new Promise<false>((resolve) => {
    callOff = timers.after(STOP_GRACE_MS, () => {
      resolve(false);
    });
  });
  const isGone = await Promise.race([gone.then(() => true), tooLate]);
  callOff();
  return isGone;
}
