import type { RunContext, RunJournal } from '@stoa/core';

const WRITES: ReadonlySet<string> = new Set([
  'delivered',
  'takeInjected',
  'modelMessage',
  'toolCall',
  'toolResult',
  'emitOutput',
  'compacted',
  'usage',
  'note',
  'requestApproval',
] satisfies (keyof RunJournal)[]);

/**
 * A run whose daemon dies at its n-th write to the journal, counted from 1: before or after it is stored. Later writes never
 * return.
 */
export function dyingRun(
  run: RunContext,
  {
    at,
    isKept,
    died,
  }: { readonly at: number; readonly isKept: boolean; readonly died: () => void },
): RunContext {
  let writes = 0;
  const never = (): Promise<never> => new Promise(() => undefined);
  const journal = new Proxy(run.journal, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...given: unknown[]) => Promise<unknown>;
      if (!WRITES.has(String(name))) return call;
      return async (...given: unknown[]) => {
        writes += 1;
        if (writes < at) return call(...given);
        if (writes === at) {
          if (isKept) await call(...given);
          died();
        }
        return never();
      };
    },
  });
  return { ...run, journal };
}
