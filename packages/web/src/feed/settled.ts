/**
 * The virtual list measures what it scrolls to for some frames. What is loaded above meanwhile moves the rows
 * to other positions in the list, and it would go on to where a row was.
 */
const SETTLED_FRAMES = 12;

/** Calls back when a scroll that was just begun has surely come to its end, and before each frame until then. */
export function whenSettled(
  run: () => void,
  eachFrame: () => void = () => undefined,
  frames = SETTLED_FRAMES,
): void {
  requestAnimationFrame(() => {
    eachFrame();
    if (frames > 1) whenSettled(run, eachFrame, frames - 1);
    else run();
  });
}
