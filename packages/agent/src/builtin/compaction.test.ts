import { type ModelRequest, outputOf, type Reply, say, toolCall, useTools } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, stage, turnsOf } from './builtin-stage.fixture.js';

describe('compaction', () => {
  const SUMMARY = 'They talk about birds; the robin is the favourite.';
  /** Answers requests for a summary with SUMMARY, and others with `answer`. */
  const summarising =
    (answer: (request: ModelRequest) => Reply) =>
    (request: ModelRequest): Reply =>
      isSummary(request) ? say(SUMMARY, { usage: { input: 500, output: 30 } }) : answer(request);
  const isSummary = ({ lastUserText }: ModelRequest): boolean =>
    lastUserText.includes('Summarise your conversation above');

  it('R-13 compacts before the context is full, and keeps the instructions and the request', async () => {
    const { session, model } = await stage({
      server: { contextTokens: 4_000 },
      model: { contextTokens: 4_000 },
      definition: { identity: { displayName: 'Ada' } },
      workspaceInstructions: 'Use tabs.',
    });
    model.script(summarising(() => say('A long answer. '.repeat(150))));
    for (let n = 1; n <= 8; n++) {
      const run = await session.ask(`Question ${String(n)}`);
      expect(run.failure).toBeUndefined();
    }
    const compactions = await session.all('compacted');
    expect(compactions.length).toBeGreaterThan(0);
    expect(compactions[0]?.data.tokensBefore).toBeGreaterThan(3_200);
    const after = model.requests[model.requests.findIndex(isSummary) + 1];
    expect(turnsOf(after)[0]).toContain(SUMMARY);
    expect(after?.lastUserText).toMatch(/^Question \d$/);
    for (const part of ['Be brief.', 'Use tabs.', 'You speak as Ada'])
      expect(after?.system).toContain(part);
    expect(model.requests.every(({ outcome }) => outcome === 'answered')).toBe(true);
    expect(await session.all('usage_reported')).toHaveLength(compactions.length);
  });

  it('R-13 compacts when the provider refuses a request as too long', async () => {
    const { session, model } = await stage({ server: { contextTokens: 4_000 } });
    model.script(summarising(() => say('A long answer. '.repeat(200))));
    for (let n = 1; n <= 7; n++)
      expect((await session.ask(`Question ${String(n)}`)).failure).toBeUndefined();
    expect((await session.all('compacted')).length).toBeGreaterThan(0);
    expect(model.requests.some(({ outcome }) => outcome === 'refused')).toBe(true);
  });

  it('R-13 compacts within a run, and keeps the request word for word', async () => {
    const { session, model, tools } = await stage({
      server: { contextTokens: 5_000 },
      model: { contextTokens: 5_000 },
      tools: { read: ({ n }) => `page ${String(n)} `.repeat(300) },
    });
    let n = 0;
    model.script(
      summarising(() => (++n <= 12 ? useTools([toolCall('read', { n })]) : say('All are read.'))),
    );
    const run = await session.ask('Read all twelve pages, and mind the gap.');
    expect(outputOf(run)).toBe('All are read.');
    expect(tools.ran.map(({ input }) => (input as { n: number }).n)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 1),
    );
    const last = model.requests.at(-1);
    expect(turnsOf(last)[0]).toContain(SUMMARY);
    expect(turnsOf(last)[0]).toContain('Read all twelve pages, and mind the gap.');
    const steps = (await session.all('model_message')).map(({ data }) => data.step);
    expect(steps).toEqual(Array.from({ length: 13 }, (_, index) => index));
  });

  it('R-13 fails when the request alone is too long', async () => {
    const { session, model } = await stage({ server: { contextTokens: 2_000 } });
    model.script([]);
    expect(codeOf(await session.ask('why? '.repeat(4_000)))).toBe('model_context_exceeded');
    expect(await session.all('compacted')).toEqual([]);
  });
});
