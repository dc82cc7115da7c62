import { LIMITS, type Principal } from '@stoa/protocol';
import { openSession, putWorkspaceRules, updateSession } from '@stoa/store';
import {
  type DirectedRun,
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
  until,
} from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const HOUR = 3_600_000;
const ADA: Principal = { kind: 'human', id: 'ada', owner: false, credentialId: 'crd_a' };

const question = (callId: string) => ({
  kind: 'tool' as const,
  callId,
  tool: 'shell',
  title: 'rm -rf build',
  input: { command: 'rm -rf build' },
  inputHash: 'hash-of-input',
  reason: 'the mode is ask',
  suggestedRule: 'Shell(rm -rf build)',
});

describe.each(STORE_ENGINES)('an approval on $name', (engine) => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  let sessionId: string;
  let run: DirectedRun;

  beforeEach(async () => {
    world = await RuntimeWorld.open(engine);
    daemon = await world.start({ approvalMs: HOUR });
    await daemon.core.credentials.mint({ humanId: 'ada', name: 'laptop' });
    ({ sessionId } = await daemon.core.sessions.create(OWNER, { agentId: 'helper' }));
    await daemon.core.inbox.submit(OWNER, sessionId, { text: 'tidy up', rule: 'followup' });
    run = await daemon.driver.nth(1);
    await run.deliver();
  });
  afterEach(async () => {
    await world.discard();
  });

  const pending = () =>
    until('something is asked', async () => {
      const { approvals } = await daemon.core.approvals.list(OWNER, {
        state: 'pending',
        limit: 10,
      });
      return approvals[0];
    });
  const status = async () => (await daemon.core.runs.get(OWNER, run.runId)).status;

  it('R-19 shows the whole arguments, and the first answer wins', async () => {
    const asked = run.context.ask(question('c1'));
    const approval = await pending();
    expect(approval).toMatchObject({
      input: { command: 'rm -rf build' },
      inputHash: 'hash-of-input',
      state: 'pending',
      sessionId,
      runId: run.runId,
    });
    expect(await status()).toBe('waiting_approval');
    const answers = await Promise.allSettled([
      daemon.core.approvals.answer(OWNER, approval.approvalId, {
        decision: 'allow',
        scope: 'once',
      }),
      daemon.core.approvals.answer(OWNER, approval.approvalId, { decision: 'deny', scope: 'once' }),
    ]);
    expect(answers.filter(({ status: how }) => how === 'fulfilled')).toHaveLength(1);
    const [late] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer] : []));
    expect(late?.reason).toMatchObject({ code: 'approval_settled' });
    const settled = await asked;
    expect(['allowed', 'denied']).toContain(settled.state);
    expect(settled.answeredBy).toBe('human:owner');
    expect(await status()).toBe('running');
  });

  it('R-20 passes changed arguments to the run, and refuses an answer for other arguments', async () => {
    const asked = run.context.ask(question('c1'));
    const { approvalId } = await pending();
    await expect(
      daemon.core.approvals.answer(OWNER, approvalId, {
        decision: 'allow',
        scope: 'once',
        inputHash: 'of something else',
      }),
    ).rejects.toMatchObject({ code: 'input_changed' });
    const updatedInput = { command: 'rm -rf build/tmp' };
    await daemon.core.approvals.answer(OWNER, approvalId, {
      decision: 'allow',
      scope: 'once',
      updatedInput,
    });
    expect(await asked).toMatchObject({ state: 'allowed', updatedInput });
  });

  it('R-21 that nobody answers expires, and the run learns of it', async () => {
    const asked = run.context.ask(question('c1'));
    await pending();
    world.clock.move(HOUR - 1);
    await daemon.core.approvals.expire(10);
    expect(await status()).toBe('waiting_approval');
    world.clock.move(1);
    await daemon.core.approvals.expire(10);
    expect(await asked).toMatchObject({ state: 'expired' });
    expect(await status()).toBe('running');
  });

  it('R-21 is withdrawn when its run is cancelled, and nothing waits for it', async () => {
    const asked = run.context.ask(question('c1'));
    const refused = expect(asked).rejects.toMatchObject({ code: 'run_ended' });
    const { approvalId } = await pending();
    await daemon.core.runs.cancel(OWNER, run.runId);
    await refused;
    expect(await daemon.core.approvals.get(OWNER, approvalId)).toMatchObject({
      state: 'withdrawn',
    });
  });

  it('R-21 that its run does not wait for is withdrawn when the run completes', async () => {
    const questions = [question('c1'), { ...question('c2'), kind: 'question' as const }];
    for (const asked of questions) await run.context.journal.requestApproval(asked);
    expect(await status()).toMatch(/^waiting_/);
    run.complete('done without an answer');
    await until('it ended', async () => (await status()) === 'completed');
    const { approvals } = await daemon.core.approvals.list(OWNER, { limit: 10 });
    expect(approvals.map(({ state }) => state)).toEqual(['withdrawn', 'withdrawn']);
    expect(daemon.driver.runs).toHaveLength(1);
  });

  it('R-22 survives a restart, can be answered, and the run continues', async () => {
    run.context.ask(question('c1')).catch(() => undefined);
    const { approvalId } = await pending();
    await daemon.abandon();
    daemon = await world.start({ approvalMs: HOUR });
    const again = await daemon.driver.nth(1);
    expect(again.runId).toBe(run.runId);
    expect(await status()).toBe('waiting_approval');
    const asked = again.context.ask(question('c1'));
    await daemon.core.approvals.answer(OWNER, approvalId, { decision: 'allow', scope: 'once' });
    expect(await asked).toMatchObject({ approvalId, state: 'allowed' });
    expect(await daemon.core.approvals.list(OWNER, { limit: 10 })).toMatchObject({
      approvals: [{ approvalId }],
    });
  });

  it('R-41 is answered by people: a session, and a person it does not work for, are refused', async () => {
    run.context.ask(question('c1')).catch(() => undefined);
    const { approvalId } = await pending();
    const session: Principal = { kind: 'session', id: sessionId, credentialId: 'crd_s' };
    for (const by of [session, ADA]) {
      await expect(
        daemon.core.approvals.answer(by, approvalId, { decision: 'allow', scope: 'once' }),
      ).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(await daemon.core.approvals.list(ADA, { limit: 10 })).toEqual({ approvals: [] });
    await daemon.core.runs.cancel(OWNER, run.runId);
  });

  it('is announced to the people who may decide, and so is its settlement', async () => {
    const asked = run.context.ask(question('c1'));
    const { approvalId } = await pending();
    await daemon.core.approvals.answer(OWNER, approvalId, { decision: 'deny', scope: 'once' });
    await asked;
    const { entries } = await daemon.core.readTopic(OWNER, 'human:owner', 0, 100);
    expect(entries.map(({ type }) => type).filter((type) => type.startsWith('approval'))).toEqual([
      'approval_requested',
      'approval_closed',
    ]);
  });

  it('answered with always adds its rule for the session or the workspace', async () => {
    const first = run.context.ask(question('c1'));
    await daemon.core.approvals.answer(OWNER, (await pending()).approvalId, {
      decision: 'allow',
      scope: 'session',
    });
    await first;
    const second = run.context.ask({ ...question('c2'), suggestedRule: 'Shell(make *)' });
    await daemon.core.approvals.answer(OWNER, (await pending()).approvalId, {
      decision: 'deny',
      scope: 'workspace',
    });
    await second;
    const { rules } = await run.context.policy();
    expect(rules.find(({ source }) => source === 'session')?.rules).toEqual({
      allow: ['Shell(rm -rf build)'],
    });
    expect(rules.find(({ source }) => source === 'workspace')?.rules).toEqual({
      deny: ['Shell(make *)'],
    });
  });

  it('adds the rules of two sessions in one workspace that are answered at once', async () => {
    const { sessionId: otherId } = await daemon.core.sessions.create(OWNER, { agentId: 'helper' });
    await daemon.core.inbox.submit(OWNER, otherId, { text: 'go', rule: 'followup' });
    const runs = [run, await daemon.driver.nth(2)];
    const expected: string[] = [];
    for (let round = 0; round < 3; round++) {
      const asked = runs.map(({ context }, i) => {
        const suggestedRule = `Shell(make ${String(round)}-${String(i)})`;
        expected.push(suggestedRule);
        const asks = { ...question(`w${String(round)}`), suggestedRule };
        return context.journal.requestApproval(asks);
      });
      const answers = (await Promise.all(asked)).map(({ approvalId }) =>
        daemon.core.approvals.answer(OWNER, approvalId, { decision: 'deny', scope: 'workspace' }),
      );
      await Promise.all(answers);
    }
    const { rules } = await run.context.policy();
    const { deny } = rules.find(({ source }) => source === 'workspace')?.rules ?? {};
    expect([...(deny ?? [])].sort()).toEqual(expected);
  });

  it.each(['session', 'workspace'] as const)(
    'cannot add more rules for the %s than a list may have',
    async (scope) => {
      const deny = Array.from({ length: LIMITS.rules }, (_, i) => `Shell(no ${String(i)})`);
      await daemon.store.transact(function* () {
        const permissions = JSON.stringify({ deny });
        const row = yield* openSession.first({ sessionId });
        if (!row) return;
        const { topicId, title, mode, metadata, workspace } = row;
        yield* updateSession.run({ topicId, title, mode, metadata, permissions, at: 1 });
        yield* putWorkspaceRules.run({ workspace, authorId: 'human:owner', permissions, at: 1 });
      });
      const { approvalId } = await run.context.journal.requestApproval(question('c1'));
      const { approvals } = daemon.core;
      await expect(
        approvals.answer(OWNER, approvalId, { decision: 'deny', scope }),
      ).rejects.toMatchObject({ code: 'limit_reached' });
      const answer = await approvals.answer(OWNER, approvalId, { decision: 'allow', scope });
      expect(answer.state).toBe('allowed');
    },
  );
});
