import type { RunContext } from '@stoa/core';
import { BoardId, LIMITS, QuestionOption, type WorkKind } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';

const AskUserInput = z.strictObject({
  question: z.string().min(1).max(LIMITS.descriptionChars).describe('The question'),
  options: z.array(QuestionOption).max(10).optional().describe('Answers to choose from, if any'),
});

/** The question is stored before the call starts, so that it and its answer survive a restart. */
export const askUser = defineTool({
  name: 'ask_user',
  description:
    'Asks the person you work for a question and waits for the answer. Use it when only they can ' +
    'decide. Do not use it to get permission for a tool: Stoa asks for that automatically.',
  input: AskUserInput,
  kind: 'ask',
  title: ({ question }) => question,
  subjects: () => [{ type: 'none' }],
  question: ({ question, options }) => ({ question, ...(options ? { options } : {}) }),
  execute: (_, { answer = '' }) => ({ text: answer }),
});

const EmitOutputInput = z.strictObject({
  content: z.string().min(1).max(LIMITS.textChars).describe('Your answer'),
  boards: z
    .array(z.strictObject({ boardId: BoardId, revision: z.int().min(1).optional() }))
    .max(LIMITS.inputItems - 1)
    .optional()
    .describe('Your boards to show with it; by default the current revision'),
});

export const emitOutput = defineTool({
  name: 'emit_output',
  description:
    'Sets your answer, which replaces the text you write last; boards can be shown with it. Only the last ' +
    'call counts. In a run without a turn in a channel nothing is published, and the result says so.',
  input: EmitOutputInput,
  kind: 'speak',
  title: ({ content }) => `Say: ${content}`,
  subjects: () => [{ type: 'none' }],
  async execute({ content, boards = [] }, { run }) {
    await run.journal.emitOutput([
      { type: 'text', text: content },
      ...boards.map((board) => ({ type: 'board_reference' as const, ...board })),
    ]);
    return { text: publication(run) };
  },
});

/** Where the output of a run is published. */
function publication({ kind, origin }: Pick<RunContext, 'kind' | 'origin'>): string {
  if (kind === 'channel_delivery') return 'It will be published when you are done.';
  if (kind === 'schedule' && origin.threadRootMessageId !== undefined) {
    return 'It is posted as the result of the schedule, in the thread where the schedule was created, when you are done.';
  }
  if (ANSWERS_CALLER.has(kind)) {
    return 'It is your answer to the person or agent that gave you this work. Nothing is published in a channel.';
  }
  const target = origin.threadRootMessageId === undefined ? 'a channel' : 'this thread';
  return (
    'Nothing is published: this run has no turn in a channel, and its output stays in your journal. ' +
    `To post to ${target}, use create_channel_stimulus; to inform another session, use send_message.`
  );
}

const ANSWERS_CALLER: ReadonlySet<WorkKind> = new Set(['input', 'resume']);

const PassTurnInput = z.strictObject({
  reason: z.string().max(LIMITS.descriptionChars).optional().describe('Stored in the journal'),
});

export const passTurn = defineTool({
  name: 'pass_turn',
  description: 'Ends your turn without an answer. Use it if no answer would help.',
  input: PassTurnInput,
  kind: 'speak',
  title: ({ reason }) => (reason === undefined ? 'Pass' : `Pass: ${reason}`),
  subjects: () => [{ type: 'none' }],
  execute: () => ({ text: 'You passed.', endsTurn: true }),
});
