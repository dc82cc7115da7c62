import type { Asked, BoundStatement, Tx } from './statement.js';

type Results<T extends readonly Tx<unknown>[]> = {
  [K in keyof T]: T[K] extends Tx<infer R> ? R : never;
};

/**
 * Runs parts of a transaction side by side: their next statements go to the engine together, in their order, which on
 * PostgreSQL costs one round trip. No part may depend on another.
 */
export function* together<const T extends readonly Tx<unknown>[]>(...parts: T): Tx<Results<T>> {
  const [only] = parts;
  if (only && parts.length === 1) return [yield* only] as Results<T>;
  const steps = parts.map((part) => part.next());
  for (;;) {
    const asking = parts.flatMap((part, i) => {
      const step = steps[i];
      return step === undefined || step.done ? [] : [{ i, part, asked: step.value }];
    });
    if (asking.length === 0) break;
    const answers = answersOf(yield asking.flatMap(({ asked }) => asked));
    for (const { i, part, asked } of asking) steps[i] = part.next(answers(asked));
  }
  return steps.map(({ value }) => value) as Results<T>;
}

/** The same transaction with one statement at a time, for callers that inspect each. */
export function* oneByOne<T>(tx: Tx<T>): Generator<BoundStatement, T, unknown> {
  let step = tx.next();
  while (!step.done) {
    if (isOne(step.value)) {
      step = tx.next(yield step.value);
      continue;
    }
    const answers: unknown[] = [];
    for (const statement of step.value) answers.push(yield statement);
    step = tx.next(answers);
  }
  return step.value;
}

export const isOne = (asked: Asked): asked is BoundStatement => !Array.isArray(asked);

/** Distributes the results: each request gets as many as it asked for. */
function answersOf(all: unknown): (asked: Asked) => unknown {
  const answers = all as readonly unknown[];
  let next = 0;
  return (asked) => {
    if (isOne(asked)) return answers[next++];
    next += asked.length;
    return answers.slice(next - asked.length, next);
  };
}
