import { LIMITS } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';

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
