import { WorkKind } from '@stoa/protocol';
import { z } from 'zod';

/** The most steps of one turn, with everything that is repeated written out. */
export const STEPS_PER_TURN = 10_000;
const CALLS_PER_STEP = 32;
const TEXT_CHARS = 65_536;

const Words = z.string().min(1).max(TEXT_CHARS);
const ToolName = z.string().min(1).max(200);
/** What a result is called afterwards: `${results.NAME}`. */
const ResultName = z.string().regex(/^[a-z][a-zA-Z0-9_]{0,62}$/);

const CallSchema = z.strictObject({
  tool: ToolName,
  input: z.record(z.string(), z.json()).default({}),
  as: ResultName.optional(),
});

const SaySchema = z.union(
  [Words, z.strictObject({ text: Words, everyMs: z.int().min(0).max(60_000).optional() })],
  { error: 'must be a text, or an object with text and everyMs' },
);

/** Everything in one step happens in the order of these fields; each step has at least one of them. */
const PlainStep = z.strictObject({
  wait: z.int().min(0).max(86_400_000).optional(),
  say: SaySchema.optional(),
  call: z.union([CallSchema, z.array(CallSchema).min(1).max(CALLS_PER_STEP)]).optional(),
  emit: Words.optional(),
  pass: z.literal(true).optional(),
  fail: z
    .strictObject({
      code: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/),
      message: Words,
    })
    .optional(),
});
export type PlainStep = z.infer<typeof PlainStep>;

interface RepeatStep {
  readonly repeat: { readonly times: number; readonly steps: readonly StepSchema[] };
}
export type StepSchema = PlainStep | RepeatStep;

const isRepeat = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'repeat' in value;

/** Told apart by hand, so that what is wrong is said of the kind that was meant. */
export const StepSchema: z.ZodType<StepSchema> = z.lazy(() =>
  z.unknown().transform((value, context): StepSchema => {
    const parsed = (isRepeat(value) ? RepeatSchema : PlainStep).safeParse(value);
    if (parsed.success) {
      if (isRepeat(value) || Object.keys(parsed.data).length > 0) return parsed.data;
      context.addIssue('a step needs one of wait, say, call, emit, pass, fail, repeat');
      return z.NEVER;
    }
    for (const issue of parsed.error.issues) {
      context.addIssue({ ...issue, input: value } as Parameters<typeof context.addIssue>[0]);
    }
    return z.NEVER;
  }),
);

const RepeatSchema = z.strictObject({
  repeat: z.strictObject({
    times: z.int().min(1).max(STEPS_PER_TURN),
    steps: z.array(StepSchema).min(1),
  }),
});

const TurnSchema = z.strictObject({
  /** All that is named must hold, whatever the case; without it, turns are played in their order. */
  when: z
    .strictObject({
      contains: z.string().min(1).max(1_000).optional(),
      matches: z.string().min(1).max(1_000).optional(),
      kind: WorkKind.optional(),
      addressed: z.boolean().optional(),
      answered: z.union([z.boolean(), z.string().min(1).max(1_000)]).optional(),
    })
    .optional(),
  /** How often a turn of the order is played before the next one's turn comes. */
  repeat: z.union([z.int().min(1), z.literal('forever')]).default(1),
  steps: z.array(StepSchema).min(1),
});
type TurnSchema = z.infer<typeof TurnSchema>;

export const ScriptSchema = z.strictObject({
  turns: z.array(TurnSchema).max(1_000).default([]),
  /** Played when no turn fits. */
  otherwise: z.array(StepSchema).min(1).optional(),
});
export type ScriptSchema = z.infer<typeof ScriptSchema>;
