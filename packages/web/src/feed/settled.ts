/**
 * The virtual list measures what it scrolls to for some frames. What is loaded above meanwhile moves the rows
 * to other places in the list, and it would go on to where a row was.
 */
const SETTLED_FRAMES = 12;

/** Calls back when a scroll that was just begun has surely come to its end. */
export function whenSettled(run: () => void, frames = SETTLED_FRAMES): void {
  requestAnimationFrame(() => (frames > 1 ? whenSettled(run, frames - 1) : run()));
}
