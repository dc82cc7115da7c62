import type { Kernel } from './kernel.js';

/** Does independent work: one that fails is reported and does not stop the others. Returns the number of failures. */
export async function eachIsolated<T>(
  { diagnose }: Pick<Kernel, 'diagnose'>,
  failed: string,
  ids: readonly T[],
  work: (id: T) => Promise<unknown>,
): Promise<number> {
  let failures = 0;
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      failures += 1;
      diagnose(failed, { ...id, error });
    }
  }
  return failures;
}
