import { LIMITS, QuestionOption } from '@stoa/protocol';
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
