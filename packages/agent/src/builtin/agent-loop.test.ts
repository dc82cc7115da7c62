import { fault, gate, OWNER, outputOf, reply, say, toolCall, until, useTools } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { stage, turnsOf } from './builtin-stage.fixture.js';

describe.each(['openai', 'anthropic'] as const)('the agent loop on the %s wire', (wire) => {
  it('R-9 R-10 runs parallel calls from split fragments once each, and adds up the usage', async () => {
    const { session, model, tools } = await stage({
      wire,
      tools: { read: ({ path }) => `contents of ${String(path)}` },
      model: { price: { input: 2, cachedInput: 1, output: 10 } },
    });
    model.script([
      useTools([toolCall('read', { path: 'a.txt' }), toolCall('read', { path: 'b.txt' })], {
        text: 'I will read them.',
        chunkSize: 3,
        usage: { input: 1_000, cachedInput: 400, output: 50 },
      }),
      say('Both are fine.', {
        chunkSize: 4,
        usage: { input: 1_200, cachedInput: 1_000, output: 20 },
      }),
    ]);
    const run = await session.ask('What is in a and b?');
    expect(run.status).toBe('completed');
    expect(outputOf(run)).toBe('Both are fine.');
    expect(tools.ran.map(({ input }) => input)).toEqual([{ path: 'a.txt' }, { path: 'b.txt' }]);
    const results = model.requests[1]?.toolResults ?? [];
    expect(results.map(({ text }) => /contents of \S+/.exec(text)?.[0])).toEqual([
      'contents of a.txt',
      'contents of b.txt',
    ]);
    expect(run.usage).toMatchObject({
      modelCalls: 2,
      inputTokens: 2_200,
      cachedInputTokens: 1_400,
      outputTokens: 70,
    });
    expect(run.usage.cost).toBeCloseTo((800 * 2 + 1_400 + 70 * 10) / 1e6, 12);
    expect((await session.types()).filter((type) => !type.startsWith('session'))).toEqual([
      'accepted',
      'queued',
      'started',
      'delivered',
      'model_message',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
      'model_message',
      'publishing',
      'completed',
    ]);
    model.assertPlayed();
  });

  it('repeats the earlier messages byte for byte in each request', async () => {
    const { session, model } = await stage({ wire, tools: { look: () => 'seen' } });
    model.script([
      reply({ reasoning: 'Look first.', text: 'A', toolCalls: [toolCall('look')] }),
      'One.',
      'Two.',
    ]);
    await session.ask('first');
    await session.ask('second');
    model.assertPlayed();
    const bodies = model.requests.map(({ body }) => withoutCacheMarks(body));
    for (const [index, next] of bodies.slice(1).entries()) {
      const before = bodies[index];
      if (!before) throw new Error('there is no earlier request');
      expect(next.system).toEqual(before.system);
      expect(next.tools).toEqual(before.tools);
      const length = before.messages.length;
      expect(next.messages.slice(0, length)).toEqual(before.messages);
    }
  });

  it('R-2 shows the model an injected message at its next tool boundary', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { session, model, tools } = await stage({
      wire,
      tools: { work: () => opened.then(() => 'worked') },
    });
    model.script([useTools([toolCall('work')]), 'Done, in green.']);
    const { runId } = await session.submit('paint it');
    await until('it works', () => tools.ran.length === 1);
    const injected = await session.submit('in green, please', 'inject');
    open();
    await session.ended(runId);
    expect(model.requests[1]?.lastUserText).toBe('in green, please');
    expect(await session.daemon.core.inbox.get(OWNER, injected.itemId)).toMatchObject({
      state: 'delivered',
      runId,
    });
    model.assertPlayed();
  });

  it('R-4 stops in the middle of an answer when it is cancelled', async () => {
    const { session, model, daemon } = await stage({ wire });
    const held = gate();
    model.script([fault.slow(held, say('abcdefghij', { chunkSize: 1 })), 'Next.']);
    const { runId } = await session.submit('talk');
    held.release(4);
    await held.reached(5);
    await until('it was delivered', async () => (await session.all('delivered')).length === 1);
    await daemon.core.runs.cancel(OWNER, runId);
    await until('the server noticed', () => model.requests[0]?.outcome === 'abandoned');
    await until('the driver has stopped', () => daemon.core.runner.runCount === 0);
    expect((await session.types()).at(-1)).toBe('cancelled');
    expect(outputOf(await session.ask('and now?'))).toBe('Next.');
    expect(turnsOf(model.requests[1]).join('\n')).toContain('was cancelled at this point');
  });
});

function withoutCacheMarks(body: object) {
  const text = JSON.stringify(body, (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
  return JSON.parse(text) as { system?: unknown; tools?: unknown; messages: unknown[] };
}

describe('the agent loop', () => {
  it('replaces call ids that a server repeats', async () => {
    const { session, model } = await stage({ tools: { look: () => 'seen' } });
    model.script([
      useTools([toolCall('look', { n: 1 }, 'call_0')]),
      useTools([toolCall('look', { n: 2 }, 'call_0')]),
      'Done.',
    ]);
    expect(outputOf(await session.ask('go'))).toBe('Done.');
    const ids = (await session.all('tool_call')).map(({ data }) => data.callId);
    expect(new Set(ids).size).toBe(2);
    model.assertPlayed();
  });

  it('ends the turn after a tool that passes it', async () => {
    const { session, model } = await stage({
      tools: { pass_turn: () => ({ text: 'passed', endsTurn: true }) },
    });
    model.script([useTools([toolCall('pass_turn')])]);
    expect(await session.ask('anything?')).toMatchObject({ status: 'completed', output: [] });
    model.assertPlayed();
  });
});
