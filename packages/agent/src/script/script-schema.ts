import { WorkKind } from '@stoa/protocol';
import { z } from 'zod';

/** The maximum number of steps of one turn, including all repetitions. */
export const STEPS_PER_TURN = 10_000;
const CALLS_PER_STEP = 32;
const TEXT_CHARS = 65_536;

const Text = z.string().min(1).max(TEXT_CHARS);
const ToolName = z.string().min(1).max(200);
/** The name of a result: `${results.NAME}`. */
const ResultName = z.string().regex(/^[a-z][a-zA-Z0-9_]{0,62}$/);

const CallSchema = z.strictObject({
  tool: ToolName,
  input: z.record(z.string(), z.json()).default({}),
  as: ResultName.optional(),
});

const SaySchema = z.union(
  [Text, z.strictObject({ text: Text, everyMs: z.int().min(0).max(60_000).optional() })],
  { error: 'must be a text, or an object with text and everyMs' },
);

/** The actions of a step run in the order of these fields. Each step has at least one. */
const PlainStep = z.strictObject({
  wait: z.int().min(0).max(86_400_000).optional(),
  say: SaySchema.optional(),
  call: z.union([CallSchema, z.array(CallSchema).min(1).max(CALLS_PER_STEP)]).optional(),
  emit: Text.optional(),
  pass: z.literal(true).optional(),
  fail: z
    .strictObject({
      code: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/),
      message: Text,
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

/** Chooses the schema by the field `repeat`, so that errors refer to the intended kind of step. */
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
  /** All conditions must hold; case is ignored. Turns without conditions are played in order. */
  when: z
    .strictObject({
      contains: z.string().min(1).max(1_000).optional(),
      matches: z.string().min(1).max(1_000).optional(),
      kind: WorkKind.optional(),
      addressed: z.boolean().optional(),
      answered: z.union([z.boolean(), z.string().min(1).max(1_000)]).optional(),
    })
    .optional(),
  /** How often a turn without conditions is played before the next one. */
  repeat: z.union([z.int().min(1), z.literal('forever')]).default(1),
  steps: z.array(StepSchema).min(1),
});

export const ScriptSchema = z.strictObject({
  turns: z.array(TurnSchema).max(1_000).default([]),
  /** Played if no turn matches. */
  otherwise: z.array(StepSchema).min(1).optional(),
});
export type ScriptSchema = z.infer<typeof ScriptSchema>;
