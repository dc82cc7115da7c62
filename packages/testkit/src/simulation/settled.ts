/** Resolves when nothing is left that could run by itself: all that waits, waits for the scheduler. */
export const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
