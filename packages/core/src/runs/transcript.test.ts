import { AgentSession, type RuntimeDaemon, RuntimeWorld, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

describe.each(STORE_ENGINES)('the tail of a transcript on $name', (engine) => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  beforeEach(async () => {
    world = await RuntimeWorld.open(engine);
    daemon = await world.start();
  });
  afterEach(() => world.discard());

  const say = (text: string) => [{ type: 'text' as const, text }];

  it('has the newest part, the whole active run, and the requested note', async () => {
    const session = await AgentSession.open(daemon, 'helper');
    await session.submit('first');
    const first = await daemon.driver.nth(1);
    await first.deliver();
    await first.context.journal.note('wanted', 'old');
    await first.context.journal.note('wanted', 'newer');
    await first.context.journal.note('other', 'thing');
    for (let step = 0; step < 20; step++) {
      await first.context.journal.modelMessage({
        step,
        parts: say(`${String(step)} ${'x'.repeat(1_000)}`),
        finishReason: 'stop',
      });
    }
    first.complete('done');
    await session.submit('second');
    const { context } = await daemon.driver.nth(2);
    await context.journal.modelMessage({
      step: 0,
      parts: say('y'.repeat(9_000)),
      finishReason: 'stop',
    });
    const callId = 'c1';
    const call = { callId, tool: 'shell', kind: 'execute' as const, title: 'x', input: {} };
    await context.journal.toolCall({ ...call, inputHash: 'h' });

    const whole = await context.transcript();
    expect(whole).toMatchObject({ isCut: false, started: new Set([callId]) });
    expect(whole.entries.filter(({ type }) => type === 'assistant')).toHaveLength(21);

    const tail = await context.transcript({ bytes: 5_000, note: 'wanted' });
    expect(tail).toMatchObject({ isCut: true, started: new Set([callId]) });
    expect([...tail.notes]).toEqual([['wanted', 'newer']]);
    const messages = tail.entries.flatMap((entry) => (entry.type === 'assistant' ? [entry] : []));
    expect(messages.at(-1)?.runId).toBe(context.runId);
    expect(messages.length).toBeGreaterThan(2);
    expect(messages.length).toBeLessThan(6);
    expect(whole.entries.slice(-tail.entries.length)).toEqual(tail.entries);

    const all = await context.transcript({ bytes: 1_000_000, note: 'wanted' });
    expect(all).toEqual(whole);
  });
});
