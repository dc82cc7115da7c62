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
const noted = (seq: number, runId: string, channelId = 'ops'): TranscriptEntry => ({
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

/** The text of a prompt in the channel ops. */
async function promptText(
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
  it('C-54 is in the prompt of its run, before the input', async () => {
    const text = await promptText([noted(1, 'run_2')]);
    expect(text).toMatch(/^Channel identity:\n- id: channel:ops\n[^]*Now this$/);
  });

  it('C-54 is not repeated if the session has it', async () => {
    expect(await promptText([noted(1, 'run_1'), asked(2, 'run_1')])).toBe('Now this');
    expect(await promptText([noted(1, 'run_2', 'elsewhere')])).toBe('Now this');
  });

  it('C-54 is repeated after the instructions for a new session', async () => {
    const entries = [noted(1, 'run_1'), asked(2, 'run_1')];
    const text = await promptText(entries, { instructions: 'first' });
    expect(text.indexOf('Be brief.')).toBeLessThan(text.indexOf('Channel identity:'));
    expect(text.indexOf('Be brief.')).toBeGreaterThan(-1);
    expect(await promptText(entries, { isReprimed: true })).toMatch(/^Channel identity:/);
  });

  it('C-54 is repeated if its prompt never arrived', async () => {
    expect(await promptText([noted(1, 'run_1')])).toContain('Channel identity:');
  });
});
