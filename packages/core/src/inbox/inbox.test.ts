import {
  type DispatchRule,
  type InboxItem,
  isTerminalRunStatus,
  type SessionEvent,
  type Stamped,
} from '@stoa/protocol';
import { OWNER, type RuntimeDaemon, RuntimeWorld, STORE_ENGINES, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

describe.each(STORE_ENGINES)('the inbox of a session on $name', (engine) => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  let sessionId: string;

  beforeEach(async () => {
    world = await RuntimeWorld.open(engine);
    daemon = await world.start();
    ({ sessionId } = await daemon.core.sessions.create(OWNER, { agentId: 'helper' }));
  });
  afterEach(async () => {
    await world.discard();
  });

  const submit = (
    text: string,
    rule: DispatchRule = 'followup',
    priority?: number,
  ): Promise<InboxItem> =>
    daemon.core.inbox.submit(OWNER, sessionId, {
      text,
      rule,
      ...(priority === undefined ? {} : { priority }),
    });

  const events = async (): Promise<Stamped<SessionEvent>[]> => {
    const slice = await daemon.core.readTopic(OWNER, `session:${sessionId}`, 0, 1_000);
    return slice.entries.map(
      ({ body, ...entry }) =>
        ({ ...entry, data: JSON.parse(body) as unknown }) as Stamped<SessionEvent>,
    );
  };
  const types = async (): Promise<string[]> => (await events()).map(({ type }) => type);
  const stateOf = async ({ itemId }: InboxItem): Promise<string> =>
    (await daemon.core.inbox.get(OWNER, itemId)).state;
  const statusOf = async (runId: string): Promise<string> =>
    (await daemon.core.runs.get(OWNER, runId)).status;
  const ended = (runId: string): Promise<string> =>
    until(`${runId} ended`, async () => {
      const status = await statusOf(runId);
      return isTerminalRunStatus(status) ? status : undefined;
    });

  it('R-1 ten items make one run at a time, by priority and then by arrival', async () => {
    const first = await submit('0');
    await daemon.driver.nth(1);
    const texts = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
    for (const text of texts) await submit(text, 'followup', text === '7' ? 8 : undefined);
    for (let i = 1; i <= 10; i++) {
      const run = await daemon.driver.nth(i);
      expect(daemon.core.runner.runCount).toBe(1);
      expect(daemon.driver.runs).toHaveLength(i);
      await run.deliver();
      run.complete(`answer to ${String(run.texts)}`);
      await ended(run.runId);
    }
    expect(daemon.driver.runs.map(({ texts: taken }) => taken[0])).toEqual([
      '0',
      '7',
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '8',
      '9',
    ]);
    expect(await stateOf(first)).toBe('delivered');
    expect(await types()).not.toContain('failed');
  });

  it('R-2 followup items run in the order of their arrival', async () => {
    await submit('a');
    const run = await daemon.driver.nth(1);
    const [b, c] = [await submit('b'), await submit('c')];
    expect([b.appliedRule, c.appliedRule]).toEqual(['followup', 'followup']);
    expect(await statusOf(b.runId)).toBe('queued');
    run.complete();
    (await daemon.driver.nth(2)).complete();
    (await daemon.driver.nth(3)).complete();
    expect(daemon.driver.runs.map(({ texts }) => texts)).toEqual([['a'], ['b'], ['c']]);
  });

  it('R-2 collect makes one run of all items that arrived while the session was busy', async () => {
    await submit('a');
    const run = await daemon.driver.nth(1);
    const items = [await submit('b', 'collect'), await submit('c', 'collect')];
    const apart = await submit('d');
    expect(items[0]?.runId).toBe(items[1]?.runId);
    expect(apart.runId).not.toBe(items[0]?.runId);
    run.complete();
    const collected = await daemon.driver.nth(2);
    expect(collected.texts).toEqual(['b', 'c']);
    expect(collected.context.items.map(({ from }) => from)).toEqual(['human:owner', 'human:owner']);
  });

  it('R-2 steer cancels the run, and only the latest steering message runs after it', async () => {
    const a = await submit('a');
    const run = await daemon.driver.nth(1);
    await run.deliver();
    const other = await submit('waits');
    const b = await submit('b', 'steer');
    const c = await submit('c', 'steer');
    expect(await ended(a.runId)).toBe('cancelled');
    const next = await daemon.driver.nth(2);
    expect(next.texts.length).toBe(1);
    if (next.texts[0] === 'b') {
      // It started before c arrived, so c cancelled it as the active run.
      expect(await ended(b.runId)).toBe('cancelled');
    } else expect(await stateOf(b)).toBe('dropped');
    const last = next.texts[0] === 'b' ? await daemon.driver.nth(3) : next;
    expect(last.texts).toEqual(['c']);
    last.complete();
    expect(await ended(c.runId)).toBe('completed');
    const behind = await until('what waited has its turn', () =>
      daemon.driver.runs.find(({ runId }) => runId === other.runId),
    );
    behind.complete();
    expect(await ended(other.runId)).toBe('completed');
    const reasons = (await events()).flatMap((event) =>
      event.type === 'cancelled' ? [event.data.reason] : [],
    );
    expect(reasons[0]).toBe('steer');
  });

  it('R-2 inject is seen at the next tool boundary, with a receipt', async () => {
    await submit('a');
    const run = await daemon.driver.nth(1);
    await run.deliver();
    const item = await submit('also this', 'inject');
    expect(item).toMatchObject({ runId: run.runId, appliedRule: 'inject', state: 'waiting' });
    const taken = await run.context.journal.takeInjected();
    expect(taken.map(({ itemId }) => itemId)).toEqual([item.itemId]);
    expect(await run.context.journal.takeInjected()).toEqual([]);
    expect(await stateOf(item)).toBe('delivered');
    run.complete();
    await ended(run.runId);
    expect(daemon.driver.runs).toHaveLength(1);
  });

  it('R-2 an injected item becomes a follow-up if the session is idle or the run does not take it', async () => {
    const idle = await submit('a', 'inject');
    expect(idle).toMatchObject({ rule: 'inject', appliedRule: 'followup' });
    const run = await daemon.driver.nth(1);
    await run.deliver();
    const late = await submit('b', 'inject');
    run.complete();
    const next = await daemon.driver.nth(2);
    expect(next.texts).toEqual(['b']);
    await next.deliver();
    next.complete();
    await ended(next.runId);
    expect(await stateOf(late)).toBe('delivered');
  });

  it('R-2 interrupt stops the run now and runs alone', async () => {
    const a = await submit('a');
    await daemon.driver.nth(1);
    await submit('b', 'collect');
    const now = await submit('c', 'interrupt');
    expect(await ended(a.runId)).toBe('cancelled');
    const next = await daemon.driver.nth(2);
    expect(next.texts).toEqual(['c']);
    expect(next.runId).toBe(now.runId);
  });

  it('R-3 every item ends as delivered, dropped or a dead letter that can be replayed', async () => {
    const failing = await submit('a');
    const run = await daemon.driver.nth(1);
    const waiting = await submit('b');
    const { cancelled } = await daemon.core.runs.cancel(OWNER, waiting.runId);
    expect(cancelled).toBe(true);
    expect(await daemon.core.inbox.get(OWNER, waiting.itemId)).toMatchObject({
      state: 'dropped',
      reason: 'cancelled',
    });
    run.end({
      type: 'failed',
      failure: { phase: 'start', code: 'no_model', message: 'No model is configured' },
    });
    expect(await ended(failing.runId)).toBe('failed');
    expect(await daemon.core.inbox.get(OWNER, failing.itemId)).toMatchObject({
      state: 'dead_letter',
      reason: 'no_model',
    });
    const replayed = await daemon.core.inbox.replay(OWNER, failing.itemId);
    expect(replayed.state).toBe('waiting');
    const again = await daemon.driver.nth(2);
    expect(again.texts).toEqual(['a']);
    await again.deliver();
    again.complete();
    await ended(again.runId);
    expect(await stateOf(failing)).toBe('delivered');
    await expect(daemon.core.inbox.replay(OWNER, failing.itemId)).rejects.toMatchObject({
      code: 'item_not_dead',
    });
  });

  it('R-5 two concurrent cancellations write one cancelled event', async () => {
    const { runId } = await submit('a');
    await daemon.driver.nth(1);
    const answers = await Promise.all([
      daemon.core.runs.cancel(OWNER, runId),
      daemon.core.runs.cancel(OWNER, runId),
    ]);
    expect(answers.map(({ cancelled }) => cancelled).sort()).toEqual([false, true]);
    expect((await types()).filter((type) => type === 'cancelled')).toHaveLength(1);
    expect(daemon.diagnoses.map(({ message }) => message)).toContain(
      'a cancellation found that the run has ended',
    );
  });

  it('R-4 nothing of a run is written after it was cancelled', async () => {
    const { runId } = await submit('a');
    const run = await daemon.driver.nth(1);
    await run.deliver();
    await daemon.core.runs.cancel(OWNER, runId);
    const before = await types();
    await expect(run.context.journal.note('late', 'too late')).rejects.toMatchObject({
      code: 'run_ended',
    });
    await expect(run.context.journal.end({ type: 'completed', output: [] })).resolves.toBe(false);
    expect(await types()).toEqual(before);
    expect(run.context.signal.aborted).toBe(true);
  });

  it('R-6 a run that has ended does not change', async () => {
    const { runId } = await submit('a');
    const run = await daemon.driver.nth(1);
    run.complete('done');
    expect(await ended(runId)).toBe('completed');
    const { cancelled, run: after } = await daemon.core.runs.cancel(OWNER, runId);
    expect(cancelled).toBe(false);
    expect(after).toMatchObject({
      status: 'completed',
      output: [{ type: 'text', text: 'done' }],
    });
  });

  it('R-7 the journal shows the events of a run in order, with identity and memory scope', async () => {
    const { runId } = await submit('a');
    const run = await daemon.driver.nth(1);
    await run.deliver();
    run.complete('done');
    await ended(runId);
    const all = await events();
    expect(all.map(({ type }) => type)).toEqual([
      'session_created',
      'accepted',
      'queued',
      'started',
      'delivered',
      'publishing',
      'completed',
    ]);
    expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (const event of all.slice(1)) {
      expect(event.data).toMatchObject({
        runId,
        identity: { id: 'agent:helper', displayName: 'helper' },
        memoryScope: { namespace: 'agent:helper', mode: 'metadata-only' },
      });
    }
  });

  it('a run whose driver this daemon does not have fails with unknown_driver', async () => {
    await daemon.stop();
    daemon = await world.start({ drivers: new Map() });
    const { runId } = await submit('a');
    expect(await ended(runId)).toBe('failed');
    expect((await daemon.core.runs.get(OWNER, runId)).failure).toMatchObject({
      code: 'unknown_driver',
    });
  });

  it('leaves every table equal to a replay of the log', async () => {
    await submit('a');
    const run = await daemon.driver.nth(1);
    await run.deliver();
    await run.context.journal.modelMessage({
      step: 0,
      parts: [{ type: 'text', text: 'hm' }],
      finishReason: 'stop',
      provider: 'p',
      model: 'm',
      usage: { modelCalls: 1, inputTokens: 10, cachedInputTokens: 2, outputTokens: 3, cost: 0.5 },
    });
    await submit('b', 'inject');
    run.complete('done');
    await ended(run.runId);
    await submit('c', 'collect');
    const report = await daemon.core.checkIntegrity();
    expect(report.problems).toEqual([]);
  });

  it('R-12 an interrupted run resumes, and the outcome of its unfinished call is unknown', async () => {
    const { runId } = await submit('a');
    const run = await daemon.driver.nth(1);
    await run.deliver();
    await run.context.journal.modelMessage({
      step: 0,
      parts: [{ type: 'tool_call', callId: 'c1', tool: 'shell', input: { command: 'x' } }],
      finishReason: 'tool_calls',
    });
    await run.context.journal.toolCall({
      callId: 'c1',
      tool: 'shell',
      kind: 'execute',
      title: 'x',
      input: { command: 'x' },
      inputHash: 'h',
    });
    await daemon.abandon();
    world.clock.move(60_000);
    daemon = await world.start();
    const again = await daemon.driver.nth(1);
    expect(again.runId).toBe(runId);
    expect(again.context.attempt).toBe(2);
    expect(again.context.items).toEqual([]);
    const { entries, pending } = await again.context.transcript();
    expect(pending).toEqual([]);
    expect(entries.at(-1)).toMatchObject({ type: 'tool_result', callId: 'c1', outcome: 'unknown' });
    again.complete('went on');
    expect(await ended(runId)).toBe('completed');
  });
});
