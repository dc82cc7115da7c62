import type { Kernel } from './kernel.js';

/** Upkeep of many things that have nothing to do with each other: one that fails holds up no other. */
export async function eachApart<T>(
  { diagnose }: Pick<Kernel, 'diagnose'>,
  failed: string,
  ids: readonly T[],
  work: (id: T) => Promise<unknown>,
): Promise<void> {
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      diagnose(failed, { ...id, error });
    }
  }
}
