import type { RunSession, Transcript, TranscriptEntry } from '@stoa/core';
import type { InboxItem } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { buildPrompt, type PromptParts } from './prompt.js';

const input = { kind: 'input', from: 'human:ada', fromName: 'Ada', metadata: {}, origin: {} };
const asked = (seq: number, runId: string): TranscriptEntry => ({
  type: 'input',
  seq,
  runId,
  input: { ...input, kind: 'input', itemId: 'itm', inputItems: [] },
});
const told = (seq: number, runId: string, channelId = 'ops'): TranscriptEntry => ({
  type: 'context',
  seq,
  runId,
  context: {
    channelId,
    channelIdentity: { id: `channel:${channelId}`, displayName: channelId },
    memoryScope: { namespace: 'n', mode: 'metadata-only' },
    notes: [],
    olderNotes: 0,
  },
});
const item = { ...input, itemId: 'itm_9', inputItems: [{ type: 'text', text: 'Now this' }] };

/** What an agent program is told with a prompt in the channel ops, before what is asked. */
async function before(
  entries: readonly TranscriptEntry[],
  parts: Partial<PromptParts> = {},
): Promise<string> {
  const definition = { instructions: 'Be brief.', displayName: 'A' };
  const session = { sessionId: 'ses', persona: { agentId: 'a', definition } };
  const { blocks } = await buildPrompt({
    run: {
      items: [item as unknown as InboxItem],
      runId: 'run_2',
      origin: { channelId: 'ops' },
      session: session as unknown as RunSession,
    },
    transcript: { entries } as unknown as Transcript,
    instructions: undefined,
    isReprimed: false,
    takesImages: false,
    findAsset: () => Promise.resolve(undefined),
    commands: new Set(),
    ...parts,
  });
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n\n');
}

describe('the boundary note in a prompt to an agent program', () => {
  it('C-54 comes with the run it was given for, before what is asked', async () => {
    const text = await before([told(1, 'run_2')]);
    expect(text).toMatch(/^Channel identity:\n- id: channel:ops\n[^]*Now this$/);
  });

  it('C-54 is not repeated to a session that has it', async () => {
    expect(await before([told(1, 'run_1'), asked(2, 'run_1')])).toBe('Now this');
    expect(await before([told(1, 'run_2', 'elsewhere')])).toBe('Now this');
  });

  it('C-54 is told again, after the instructions, to a session that begins anew', async () => {
    const entries = [told(1, 'run_1'), asked(2, 'run_1')];
    const text = await before(entries, { instructions: 'first' });
    expect(text.indexOf('Be brief.')).toBeLessThan(text.indexOf('Channel identity:'));
    expect(text.indexOf('Be brief.')).toBeGreaterThan(-1);
    expect(await before(entries, { isReprimed: true })).toMatch(/^Channel identity:/);
  });

  it('C-54 is told again when what it came with never arrived', async () => {
    expect(await before([told(1, 'run_1')])).toContain('Channel identity:');
  });
});
