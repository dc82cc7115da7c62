import { Pattern, PatternProblem } from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { placeholderProblem } from './placeholders.js';
import { type PlainStep, ScriptSchema, STEPS_PER_TURN, type StepSchema } from './script-schema.js';

/** One step. Repetitions are expanded, so that its index in the turn identifies it. */
export interface Step extends Pick<PlainStep, 'emit' | 'fail'> {
  /** The number of the repetition, from 1. */
  readonly round: number;
  readonly waitMs: number;
  readonly say: { readonly text: string; readonly everyMs: number } | undefined;
  readonly calls: readonly ScriptedCall[];
  readonly passes: boolean;
}
type ScriptedCall = Exclude<PlainStep['call'], undefined | readonly unknown[]>;

interface Turn {
  readonly when:
    | (Omit<TurnConditions, 'matches'> & { readonly matches: Pattern | undefined })
    | undefined;
  /** How often it is played before the next turn without conditions; infinity if it repeats forever. */
  readonly plays: number;
  readonly steps: readonly Step[];
}
type TurnConditions = NonNullable<ScriptSchema['turns'][number]['when']>;

export interface Script {
  readonly turns: readonly Turn[];
  readonly otherwise: readonly Step[] | undefined;
}

type Path = readonly PropertyKey[];

/** A problem of a script and its position. */
class ScriptProblem extends Error {
  constructor(
    readonly path: Path,
    message: string,
  ) {
    super(message);
  }
}

/** Parses a script; throws `invalid_agent` with all problems and their lines. */
export function parseScript(text: string, source = 'script'): Script {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { uniqueKeys: true, lineCounter });
  const refuse = (problems: readonly { line: number; message: string }[]): StoaError => {
    const lines = problems.map(({ line, message }) => `${source}:${String(line)}: ${message}`);
    return new StoaError('invalid_agent', lines.join('\n'));
  };
  if (document.errors.length > 0) {
    throw refuse(
      document.errors.map((error) => ({
        line: error.linePos?.[0].line ?? 1,
        message: (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, ''),
      })),
    );
  }
  const parsed = ScriptSchema.safeParse(readJson(document, refuse));
  if (!parsed.success) {
    throw refuse(
      parsed.error.issues.map((issue) => ({
        line: lineOf(document, lineCounter, issue.path),
        message: `${nameOf(issue.path)}: ${messageOf(issue)}`,
      })),
    );
  }
  try {
    return compile(parsed.data);
  } catch (error) {
    if (!(error instanceof ScriptProblem)) throw error;
    const { path, message } = error;
    throw refuse([
      { line: lineOf(document, lineCounter, path), message: `${nameOf(path)}: ${message}` },
    ]);
  }
}

/** Resolves aliases, and refuses too many of them. */
function readJson(
  document: Document,
  refuse: (problems: readonly { line: number; message: string }[]) => StoaError,
): unknown {
  try {
    return (document.toJS({ maxAliasCount: 100 }) as unknown) ?? {};
  } catch (error) {
    throw refuse([{ line: 1, message: error instanceof Error ? error.message : 'cannot be read' }]);
  }
}

function compile({ turns, otherwise }: ScriptSchema): Script {
  if (turns.length === 0 && !otherwise) {
    throw new ScriptProblem([], 'there is nothing to play: turns and otherwise are both missing');
  }
  return {
    turns: turns.map(({ when, repeat, steps }, index): Turn => {
      const path = ['turns', index];
      return {
        when: when && {
          ...when,
          matches: when.matches === undefined ? undefined : patternOf(when.matches, path),
        },
        plays: repeat === 'forever' ? Number.POSITIVE_INFINITY : repeat,
        steps: flatten(steps, [...path, 'steps']),
      };
    }),
    otherwise: otherwise && flatten(otherwise, ['otherwise']),
  };
}

function patternOf(source: string, path: Path): Pattern {
  try {
    return new Pattern(source);
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error;
    throw new ScriptProblem([...path, 'when', 'matches'], error.message);
  }
}

/** Expands repetitions and checks the placeholders of all texts. */
function flatten(steps: readonly StepSchema[], path: Path): Step[] {
  const flat: Step[] = [];
  const named = new Set<string>();
  const add = (list: readonly StepSchema[], at: Path, round: number): void => {
    list.forEach((step, index) => {
      const here = [...at, index];
      if ('repeat' in step) {
        const { times, steps: inner } = step.repeat;
        for (let count = 1; count <= times; count++)
          add(inner, [...here, 'repeat', 'steps'], count);
        return;
      }
      if (flat.length >= STEPS_PER_TURN) {
        throw new ScriptProblem(here, `more than ${String(STEPS_PER_TURN)} steps in one turn`);
      }
      flat.push(stepOf(step, here, round, named));
    });
  };
  add(steps, path, 1);
  return flat;
}

function stepOf(step: PlainStep, path: Path, round: number, named: Set<string>): Step {
  const check = (value: unknown, at: Path): void => {
    if (typeof value === 'string') {
      const problem = placeholderProblem(value, named);
      if (problem !== undefined) throw new ScriptProblem(at, problem);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, part] of Object.entries(value)) check(part, [...at, key]);
    }
  };
  const { say, call = [], emit, fail } = step;
  const calls = Array.isArray(call) ? call : [call];
  check(say, [...path, 'say']);
  check(call, [...path, 'call']);
  for (const { as } of calls) if (as !== undefined) named.add(as);
  check(emit, [...path, 'emit']);
  check(fail?.message, [...path, 'fail', 'message']);
  const saying = typeof say === 'string' ? { text: say } : say;
  return {
    round,
    waitMs: step.wait ?? 0,
    say: saying && { text: saying.text, everyMs: saying.everyMs ?? 0 },
    calls,
    emit,
    passes: step.pass === true,
    fail,
  };
}

/** The line of the innermost existing node on the path. */
function lineOf(document: Document, lineCounter: LineCounter, path: Path): number {
  for (let length = path.length; length >= 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lineCounter.linePos(node.range[0]).line;
  }
  return 1;
}

const nameOf = (path: Path): string =>
  path.length === 0
    ? 'the script'
    : path.map((key) => (typeof key === 'number' ? String(key + 1) : String(key))).join('.');

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown field ${issue.keys.join(', ')}`;
  if (issue.code === 'invalid_value')
    return `must be one of ${issue.values.map(String).join(', ')}`;
  return issue.message;
}
