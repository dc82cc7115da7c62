import type { RunContext } from '@stoa/core';
import { BoardId, LIMITS, QuestionOption, type WorkKind } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';

const AskUserInput = z.strictObject({
  question: z.string().min(1).max(LIMITS.descriptionChars).describe('What you need to know'),
  options: z.array(QuestionOption).max(10).optional().describe('Answers to choose from, if any'),
});
type AskUserInput = z.infer<typeof AskUserInput>;

/** The question is asked before the call counts as begun: a restart finds it, and its answer, again. */
export const askUser = defineTool<AskUserInput>({
  name: 'ask_user',
  description:
    'Asks the person you work for a question and waits for the answer. Use it when only they can ' +
    'decide. It is not a way to get permission for a tool: that is asked by itself.',
  input: AskUserInput,
  kind: 'ask',
  title: ({ question }) => question,
  subjects: () => Promise.resolve([{ type: 'none' }]),
  question: ({ question, options }) => ({ question, ...(options ? { options } : {}) }),
  execute: (_, { answer = '' }) => Promise.resolve({ text: answer }),
});

const EmitOutputInput = z.strictObject({
  content: z.string().min(1).max(LIMITS.textChars).describe('What you say to whoever asked'),
  boards: z
    .array(z.strictObject({ boardId: BoardId, revision: z.int().min(1).optional() }))
    .max(LIMITS.inputItems - 1)
    .optional()
    .describe('Boards of yours to show with it; without a revision, as they are now'),
});
type EmitOutputInput = z.infer<typeof EmitOutputInput>;

export const emitOutput = defineTool<EmitOutputInput>({
  name: 'emit_output',
  description:
    'Gives your answer, in place of what you write last; boards can be shown with it. The last call ' +
    'counts. In a run without a turn in a channel nothing is published, and the result says so.',
  input: EmitOutputInput,
  kind: 'speak',
  title: ({ content }) => `Say: ${content}`,
  subjects: () => Promise.resolve([{ type: 'none' }]),
  async execute({ content, boards = [] }, { run }) {
    await run.journal.emitOutput([
      { type: 'text', text: content },
      ...boards.map((board) => ({ type: 'board_reference' as const, ...board })),
    ]);
    return { text: fateOf(run) };
  },
});

/** What becomes of what a run emits. */
function fateOf({ kind, origin }: Pick<RunContext, 'kind' | 'origin'>): string {
  if (kind === 'channel_delivery') return 'It will be published when you are done.';
  if (kind === 'schedule' && origin.threadRootMessageId !== undefined) {
    return 'It is posted as the result of the schedule, in the thread where that was made, when you are done.';
  }
  if (GOES_TO_CALLER.has(kind)) {
    return 'It is your answer to the person or agent that gave you this work. Nothing is published in a channel.';
  }
  const place = origin.threadRootMessageId === undefined ? 'a channel' : 'this thread';
  return (
    'Nothing is published: this run has no turn in a channel, and what you emit stays in your journal. ' +
    `To tell ${place} something, use create_channel_stimulus; to tell another session, use send_message.`
  );
}

const GOES_TO_CALLER: ReadonlySet<WorkKind> = new Set(['input', 'resume']);

const PassTurnInput = z.strictObject({
  reason: z.string().max(LIMITS.descriptionChars).optional().describe('Why; kept in the journal'),
});
type PassTurnInput = z.infer<typeof PassTurnInput>;

export const passTurn = defineTool<PassTurnInput>({
  name: 'pass_turn',
  description: 'Ends your turn without saying anything, when nothing you could say would help.',
  input: PassTurnInput,
  kind: 'speak',
  title: ({ reason }) => (reason === undefined ? 'Pass' : `Pass: ${reason}`),
  subjects: () => Promise.resolve([{ type: 'none' }]),
  execute: () => Promise.resolve({ text: 'You passed.', endsTurn: true }),
});
