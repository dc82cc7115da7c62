import { LIMITS, type Principal } from '@stoa/protocol';
import { insertInboxItem, openSession } from '@stoa/store';
import { OWNER, type RuntimeDaemon, RuntimeWorld, STORE_ENGINES, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

describe.each(STORE_ENGINES)('a message to another session on $name', (engine) => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  let from: string;
  let to: string;

  beforeEach(async () => {
    world = await RuntimeWorld.open(engine);
    daemon = await world.start();
    const { sessions } = daemon.core;
    from = (await sessions.create(OWNER, { agentId: 'helper' })).sessionId;
    to = (await sessions.create(OWNER, { agentId: 'helper' })).sessionId;
  });
  afterEach(async () => {
    await world.discard();
  });

  const asSession = (id: string): Principal => ({ kind: 'session', id, credentialId: 'crd_s' });
  const send = (text: string, options: { expiresInMs?: number } = {}) =>
    daemon.core.mailbox.send(asSession(from), from, { toSessionId: to, text, ...options });
  const item = (itemId: string) => daemon.core.inbox.get(OWNER, itemId);
  const fail = { phase: 'start' as const, code: 'model_unavailable', message: 'down' };

  it('R-37 arrives in the inbox, and is acknowledged when it is in the model’s context', async () => {
    const sent = await send('hello');
    expect(sent).toMatchObject({
      sessionId: to,
      kind: 'mailbox_delivery',
      from: `session:${from}`,
      state: 'waiting',
      origin: { fromSessionId: from },
    });
    const run = await daemon.driver.nth(1);
    expect(run.texts).toEqual(['hello']);
    expect((await item(sent.itemId)).state).toBe('waiting');
    await run.deliver();
    expect((await item(sent.itemId)).state).toBe('delivered');
  });

  it('R-37 reaches a busy session at its next boundary', async () => {
    await daemon.core.inbox.submit(OWNER, to, { text: 'work', rule: 'followup' });
    const run = await daemon.driver.nth(1);
    await run.deliver();
    const sent = await send('psst');
    const [taken] = await run.context.journal.takeInjected();
    expect(taken).toMatchObject({ itemId: sent.itemId, fromName: 'helper' });
    expect((await item(sent.itemId)).state).toBe('delivered');
  });

  it('R-37 to a session that has ended is refused at once', async () => {
    await daemon.core.sessions.end(OWNER, to);
    await expect(send('anybody there?')).rejects.toMatchObject({ code: 'session_ended' });
  });

  it('R-37 is a dead letter after three failed attempts, which the sender learns, and can be replayed', async () => {
    const sent = await send('hello');
    for (let attempt = 1; attempt <= 3; attempt++) {
      (await daemon.driver.nth(attempt)).end({ type: 'failed', failure: fail });
    }
    const dead = await until('it is a dead letter', async () => {
      const now = await item(sent.itemId);
      return now.state === 'dead_letter' ? now : undefined;
    });
    expect(dead).toMatchObject({ attempts: 2, reason: 'model_unavailable' });
    const { items } = await daemon.core.inbox.list(OWNER, to, {
      state: 'dead_letter',
      limit: 10,
    });
    expect(items.map(({ itemId }) => itemId)).toEqual([sent.itemId]);
    const { entries } = await daemon.core.readTopic(OWNER, `session:${from}`, 0, 100);
    expect(entries.at(-1)).toMatchObject({ type: 'note' });
    expect(entries.at(-1)?.body).toContain('mailbox_dead_letter');
    await daemon.core.inbox.replay(OWNER, sent.itemId);
    const again = await daemon.driver.nth(4);
    await again.deliver();
    again.complete();
    expect((await item(sent.itemId)).state).toBe('delivered');
  });

  const notes = async () => {
    const { entries } = await daemon.core.readTopic(OWNER, `session:${from}`, 0, 100);
    return entries.filter(({ type }) => type === 'note').map(({ body }) => body);
  };

  it.each(['steer', 'interrupt'] as const)(
    'R-37 is not lost to a %s, whether it waits for a boundary or its run has begun',
    async (rule) => {
      const { inbox } = daemon.core;
      const begun = await send('first');
      const first = await daemon.driver.nth(1);
      const waits = await send('second');
      expect(waits.runId).toBe(first.runId);
      await inbox.submit(OWNER, to, { text: 'no, this', rule });
      const urgent = await daemon.driver.nth(2);
      expect(urgent.texts).toEqual(['no, this']);
      urgent.complete();
      const texts: string[] = [];
      for (const nth of [3, 4]) {
        const run = await daemon.driver.nth(nth);
        await run.deliver();
        texts.push(...run.texts);
        run.complete();
      }
      expect(texts).toEqual(['first', 'second']);
      for (const { itemId } of [begun, waits]) expect((await item(itemId)).state).toBe('delivered');
      expect(await notes()).toEqual([]);
    },
  );

  it('R-37 is dropped when its own run is cancelled, and the sender learns it', async () => {
    const { runs } = daemon.core;
    const sent = await send('never mind');
    const run = await daemon.driver.nth(1);
    const injected = await send('but this');
    await runs.cancel(OWNER, run.runId);
    expect(await item(sent.itemId)).toMatchObject({ state: 'dropped', reason: 'cancelled' });
    const [note, ...others] = await notes();
    expect(note).toContain('mailbox_dropped');
    expect(note).toContain(sent.itemId);
    expect(others).toEqual([]);
    expect((await daemon.driver.nth(2)).texts).toEqual(['but this']);
    expect((await item(injected.itemId)).state).toBe('waiting');
  });

  it.each(['clear', 'end'] as const)(
    'R-37 is a dead letter after a %s of the session, which the sender learns',
    async (stop) => {
      const { sessions, inbox } = daemon.core;
      await inbox.submit(OWNER, to, { text: 'work', rule: 'followup' });
      await (await daemon.driver.nth(1)).deliver();
      const sent = await send('important');
      await sessions[stop](OWNER, to);
      expect(await item(sent.itemId)).toMatchObject({ state: 'dead_letter', reason: 'cleared' });
      expect(await notes()).toEqual([expect.stringContaining(sent.itemId)]);
      if (stop === 'end') return;
      await inbox.replay(OWNER, sent.itemId);
      expect((await daemon.driver.nth(2)).texts).toEqual(['important']);
    },
  );

  it('R-37 is a dead letter when it expires before a run takes it', async () => {
    await daemon.core.inbox.submit(OWNER, to, { text: 'work', rule: 'followup' });
    await (await daemon.driver.nth(1)).deliver();
    const sent = await send('quick', { expiresInMs: 5_000 });
    world.clock.move(5_000);
    await daemon.core.tick();
    expect(await item(sent.itemId)).toMatchObject({ state: 'dead_letter', reason: 'expired' });
    const run = await daemon.driver.nth(1);
    expect(await run.context.journal.takeInjected()).toEqual([]);
    run.complete();
  });

  it('R-37 cancels its run when it expires in the queue, and can be replayed while others wait', async () => {
    daemon.driver.capabilities.inject = false;
    await daemon.core.inbox.submit(OWNER, to, { text: 'work', rule: 'followup' });
    const busy = await daemon.driver.nth(1);
    await busy.deliver();
    const sent = await send('quick', { expiresInMs: 5_000 });
    world.clock.move(5_000);
    await daemon.core.tick();
    expect(await item(sent.itemId)).toMatchObject({ state: 'dead_letter', reason: 'expired' });
    expect(await daemon.core.runs.get(OWNER, sent.runId)).toMatchObject({
      status: 'cancelled',
      cancelReason: 'dropped',
    });
    const replayed = await daemon.core.inbox.replay(OWNER, sent.itemId);
    expect(replayed.expiresAt).toBeUndefined();
    world.clock.move(5_000);
    await daemon.core.tick();
    expect((await item(sent.itemId)).state).toBe('waiting');
    busy.complete();
    expect((await daemon.driver.nth(2)).texts).toEqual(['quick']);
    expect((await daemon.core.checkIntegrity()).problems).toEqual([]);
  });

  it('R-37 cannot be replayed while the inbox is full', async () => {
    await daemon.core.inbox.submit(OWNER, to, { text: 'work', rule: 'followup' });
    await (await daemon.driver.nth(1)).deliver();
    const sent = await send('quick', { expiresInMs: 5_000 });
    world.clock.move(5_000);
    await daemon.core.tick();
    const { topicId = 0 } =
      (await daemon.store.read(() => openSession.first({ sessionId: to }))) ?? {};
    await daemon.store.transact(function* () {
      const row = { topicId, kind: 'mailbox_delivery', runId: 'run_x', fromId: 'x', at: 1 };
      for (let i = 0; i < LIMITS.undeliveredMailboxMessages; i++) {
        const itemId = `itm_${String(i)}`;
        yield* insertInboxItem.run({ ...row, seq: 1_000 + i, itemId, expiresAt: null });
      }
    });
    await expect(daemon.core.inbox.replay(OWNER, sent.itemId)).rejects.toMatchObject({
      code: 'inbox_full',
    });
  });

  it('R-37 does not stop others from expiring when its own expiry fails', async () => {
    const { sessions, inbox, mailbox } = daemon.core;
    const other = (await sessions.create(OWNER, { agentId: 'helper' })).sessionId;
    for (const [index, sessionId] of [to, other].entries()) {
      await inbox.submit(OWNER, sessionId, { text: 'work', rule: 'followup' });
      await (await daemon.driver.nth(index + 1)).deliver();
    }
    const stuck = await send('quick', { expiresInMs: 5_000 });
    const by = asSession(from);
    const request = { toSessionId: other, text: 'quick', expiresInMs: 6_000 };
    const later = await mailbox.send(by, from, request);
    world.clock.move(6_000);
    const transact = daemon.store.transact.bind(daemon.store);
    const broken = new Error('the disk is bad there');
    daemon.store.transact = (body, options) =>
      options?.lane === `session:${to}` ? Promise.reject(broken) : transact(body, options);
    await daemon.core.tick();
    daemon.store.transact = transact;
    expect(await item(stuck.itemId)).toMatchObject({ state: 'waiting' });
    expect(await item(later.itemId)).toMatchObject({ state: 'dead_letter' });
    expect(daemon.diagnoses).toContainEqual({
      message: 'an item could not expire',
      details: { itemId: stuck.itemId, sessionId: to, error: broken },
    });
  });

  it('R-37 is refused when 50 undelivered messages wait', async () => {
    await daemon.core.inbox.submit(OWNER, to, { text: 'work', rule: 'followup' });
    await (await daemon.driver.nth(1)).deliver();
    for (let i = 0; i < LIMITS.undeliveredMailboxMessages; i++) await send(`message ${String(i)}`);
    await expect(send('one too many')).rejects.toMatchObject({ code: 'inbox_full' });
  });

  it('is refused between sessions of different persons, and in the name of another session', async () => {
    const { sessions, mailbox, credentials } = daemon.core;
    await credentials.mint({ humanId: 'ada', name: 'laptop' });
    const ada: Principal = { kind: 'human', id: 'ada', owner: false, credentialId: 'crd_a' };
    const hers = await sessions.create(ada, { agentId: 'helper' });
    await expect(
      mailbox.send(asSession(from), from, { toSessionId: hers.sessionId, text: 'hi' }),
    ).rejects.toMatchObject({ code: 'forbidden' });
    await expect(
      mailbox.send(asSession(to), from, { toSessionId: to, text: 'hi' }),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });
});
