import { inspect } from 'node:util';

/** An invariant that does not hold. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function violated(what: string, details?: Readonly<Record<string, unknown>>): never {
  throw violation(what, details);
}

export function violation(
  what: string,
  details: Readonly<Record<string, unknown>> = {},
): Violation {
  const lines = Object.entries(details).map(
    ([name, value]) => `  ${name}: ${inspect(value, { depth: 8, breakLength: 140 })}`,
  );
  return new Violation([what, ...lines].join('\n'));
}

/** Records a violation where another `catch` would swallow an exception. */
export type Fail = (what: string, details?: Readonly<Record<string, unknown>>) => void;

const STEPS_SHOWN = 30;

/** What a person needs to find the defect: the seed, the last steps, and how to run it again. */
export class SimulationFailure extends Error {
  override readonly name = 'SimulationFailure';

  constructor(
    readonly seed: number,
    steps: readonly string[],
    doing: string,
    cause: unknown,
    file = 'tests/simulation.test.ts',
  ) {
    const reason = cause instanceof Violation ? cause.message : inspect(cause);
    const shown = steps.slice(-STEPS_SHOWN).map((line) => `    ${line}`);
    super(
      [
        `seed ${seed} fails after ${steps.length} steps (${doing}): ${reason}`,
        `  the last of them:`,
        ...shown,
        `  run it alone: STOA_SEED=${seed} npx vitest run ${file}`,
      ].join('\n'),
      { cause },
    );
  }
}
