import { slowReadings } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { envelope, plainText, setIn, toolResultForModel } from './envelope.js';

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  envelope: (text) => envelope({ source: 'file a', ids: ['run_1'], text }),
  'the source of an envelope': (text) => envelope({ source: text, ids: ['run_1'], text: '' }),
  plainText,
  setIn,
  'a tool result': (output) =>
    toolResultForModel({
      runId: 'run_1',
      callId: 'call_1',
      tool: 'ask_user',
      outcome: 'ok',
      output,
    }),
};

describe('text of others that an agent reads', () => {
  it.each(Object.entries(READERS))('SE-48 %s takes time in proportion to its text', (_, read) => {
    expect(slowReadings(read)).toEqual([]);
  });
});
