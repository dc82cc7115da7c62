import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Channel, Member, Message, Session, StampedDecision } from '@stoa/protocol';
import { callerOf, newPerson, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, type Outcome, ownerOf, start } from './stoa-command.js';

interface Why {
  channelId: string;
  rootMessageId: string;
  decisions: StampedDecision[];
}

describe('agents in a channel, from the command line', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-cli-turns-'));
  let daemon: TestDaemon;
  let run: ReturnType<typeof ownerOf>;

  beforeAll(async () => {
    daemon = await startDaemon();
    run = ownerOf(daemon);
    const owner = callerOf(daemon.url, daemon.token);
    for (const agentId of ['cook', 'adept']) {
      const driver = { kind: 'script', script: `otherwise: [{ emit: "I am ${agentId}" }]` };
      expect((await owner.put(`/v1/agents/${agentId}`, { driver })).status).toBe(200);
    }
    for (const id of ['kitchen', 'empty']) {
      expect(await run(['channel', 'create', id, '--id', id])).toMatchObject({ code: 0, err: '' });
    }
  });
  afterAll(async () => {
    await daemon.cleanUp();
    fs.rmSync(directory, { recursive: true, force: true });
  });

  const invite = (...args: readonly string[]): Promise<Outcome> =>
    run(['channel', 'invite', 'kitchen', ...args], { cwd: directory });
  const send = async (...words: readonly string[]): Promise<string> =>
    (await run(['send', 'kitchen', ...words])).out.trim();
  const over = (messageId: string): Promise<Why> =>
    until('the turn is over', async () => {
      const why = await json<Why>(run(['why', messageId, '--json']));
      return why.decisions.at(-1)?.turn.outcome === undefined ? undefined : why;
    });

  it('brings in an agent as a session that works here, and a session there is', async () => {
    const member = await json<Member>(
      invite('cook', '--name', 'Chef', '--role', 'cooking', '--expertise', 'soup, bread', '--json'),
    );
    expect(member).toMatchObject({
      memberId: 'cook',
      memberKind: 'session',
      displayName: 'Chef',
      displayNameMode: 'manual',
      role: 'cooking',
      expertiseTags: ['soup', 'bread'],
    });
    const sessionId = member.actorId.slice('session:'.length);
    const session = await json<Session>(run(['session', 'show', sessionId, '--json']));
    expect(session).toMatchObject({ agentId: 'cook', workspace: fs.realpathSync(directory) });

    const other = await run(['session', 'new', '--agent', 'adept'], { cwd: directory });
    const joined = await invite(other.out.trim(), '--mode', 'selected_only');
    expect(joined.out).toBe(
      `adept (adept) is a member of kitchen, as ${other.out}`.replace(/\n$/, '.\n'),
    );
    const again = await json<Member>(invite(other.out.trim(), '--mode', 'channel', '--json'));
    expect(again.memberId).toBe('adept');
    expect(again).not.toHaveProperty('participationMode');
  });

  it('makes no session for a channel that is not there, nor for a wrong word', async () => {
    const count = async (): Promise<number> =>
      (await run(['session', 'list', '-q'])).out.split('\n').length;
    const before = await count();
    const args = ['channel', 'invite', 'nowhere', 'cook'];
    expect((await run(args, { cwd: directory })).err).toContain('(channel_not_found)');
    expect(await invite('cook', '--mode', 'sometimes')).toMatchObject({ code: 2 });
    expect(await count()).toBe(before);
  });

  it('C-25 tells why somebody got the turn, of any message of the thread', async () => {
    const root = await send('How long does bread take?');
    const explained = await over(root);
    expect(explained).toMatchObject({ channelId: 'kitchen', rootMessageId: root });
    const [first] = explained.decisions;
    expect(first?.candidates[0]).toMatchObject({ memberId: 'cook', reason: 'expertise' });
    const { out } = await run(['why', root, '--channel', 'kitchen']);
    expect(out).toMatch(/^\S+ msg_\w+ owner: How long does bread take\? \[\d repl/);
    expect(out).toMatch(/\n\S+ msg_\w+ opened a turn #\d+\n/);
    expect(out).toMatch(/\n +1 +Chef +granted +knows what this is about\n/);
    expect(out).toMatch(/\n +2 +adept +queued +is a member +expertise\n/);
    expect(out).toMatch(/\n {2}→ Chef answered\n/);
    expect(out).toMatch(/\n {2}→ the turn is closed: answered \(2 replies, 2 runs, 0 tokens\)\n$/);

    const { messages } = await json<{ messages: Message[] }>(
      run(['history', 'kitchen', '--thread', root, '--json']),
    );
    const reply = await json<Why>(run(['why', messages[0]?.messageId ?? '', '--json']));
    expect(reply).toEqual(explained);
    const last = await json<Why>(run(['why', root, '-n', '1', '--json']));
    expect(last.decisions).toEqual(explained.decisions.slice(-1));
    const lastText = (await run(['why', root, '-n', '1'])).out;
    expect(lastText).toMatch(/ the run of (?:Chef|adept) ended #\d+\n/);
    expect(lastText).not.toContain('lse_');
  });

  it('tells why nothing was decided, and of a message that is nowhere', async () => {
    const lonely = (await run(['send', 'empty', 'Hello?'])).out.trim();
    expect((await run(['why', lonely])).out).toContain('stoa channel invite empty AGENT\n');
    expect(await run(['why', `msg_${'0'.repeat(26)}`])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(message_not_found)') as string,
    });
  });

  it('shows who has the turn while one watches', async () => {
    const tail = start(['tail', 'kitchen', '-f', '-n', '1'], { env: { STOA_HOME: daemon.home } });
    try {
      await until('it has begun', () => tail.output().out !== '');
      await over(await send('@adept and you?'));
      await until('it is shown', () => tail.output().out.includes('the turn is over: answered'));
      expect(tail.output().out).toMatch(/\* adept has the turn\n.* adept: I am adept\n/);
    } finally {
      tail.process.kill('SIGKILL');
      await tail.ended;
    }
  });

  it('C-18 pauses a channel and resumes it', async () => {
    expect((await run(['channel', 'pause', 'kitchen'])).out).toContain('kitchen is paused');
    expect((await run(['channel', 'show', 'kitchen'])).out).toMatch(/\n +paused +yes/);
    const root = await send('@adept are you there?');
    const waiting = await json<Why>(run(['why', root, '--json']));
    expect(waiting.decisions.map(({ granted }) => granted.length)).toEqual([0]);
    expect((await run(['channel', 'resume', 'kitchen'])).code).toBe(0);
    const { decisions } = await over(root);
    expect(decisions[1]).toMatchObject({
      trigger: { type: 'resumed' },
      granted: [{ memberId: 'adept' }],
    });
  });

  it('shows and changes the policy of a channel; what is not named stays', async () => {
    const policy = ['channel', 'policy', 'empty'];
    expect((await run(policy)).out).toMatch(/\n +memberCooldownMs +15s \(.*\)\n/);
    expect((await run(policy)).out).toMatch(/\n +tokensPerTurn +no limit /);
    const set = ['--set', 'memberCooldownMs=1m', '--set', 'defaultParticipationMode=always_listen'];
    await run([...policy, ...set]);
    expect(await json(run([...policy, '--set', 'tokensPerTurn=5000', '--json']))).toEqual({
      channelId: 'empty',
      paused: false,
      autonomyPolicy: {
        maxParallelPublicSpeakers: 1,
        maxAgentRepliesPerHumanMessage: 3,
        maxStartedRunsPerHumanMessage: 3,
        memberCooldownMs: 60_000,
        leaseTimeoutMs: 60_000,
        claimTimeoutMs: 20_000,
        silenceLimitMs: 600_000,
        tokensPerTurn: 5_000,
        maxPendingStimuli: 32,
        maxAgentRepliesPerStimulus: 2,
        maxAutonomousRepliesSinceHuman: 12,
        maxAutonomousRootPostsPerHour: 4,
        maxActiveAutonomousRoots: 1,
        quietPeriodMsAfterRootPost: 300_000,
      },
      defaultParticipationMode: 'always_listen',
    });
    const reset = ['--reset', 'tokensPerTurn', '--reset', 'defaultParticipationMode'];
    const after = await json<Pick<Channel, 'autonomyPolicy' | 'defaultParticipationMode'>>(
      run([...policy, ...reset, '--json']),
    );
    expect(after.autonomyPolicy).not.toHaveProperty('tokensPerTurn');
    expect(after.autonomyPolicy.memberCooldownMs).toBe(60_000);
    expect(after.defaultParticipationMode).toBe('selected_only');
    expect((await run([...policy, '--reset', 'memberCooldownMs'])).out).toMatch(
      /\n +memberCooldownMs +15s /,
    );
    expect(await run([...policy, '--set', 'leaseTimeoutMs=1'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(invalid_request)') as string,
    });
  });

  it('lets only moderators pause and change the policy, and only directors change sessions', async () => {
    const ada = await newPerson(daemon, 'ada');
    const path = '/v1/channels/kitchen';
    expect((await ada.patch(path, { paused: true })).json).toMatchObject({ code: 'forbidden' });
    const change = { autonomyPolicy: { maxAgentRepliesPerHumanMessage: 9 } };
    expect((await ada.patch(path, change)).status).toBe(403);
    const members = (await ada.get<{ members: Member[] }>(`${path}/members`)).json.members;
    const cook = members.find(({ memberId }) => memberId === 'cook');
    const mute = { actorId: cook?.actorId, muted: true };
    expect((await ada.post(`${path}/members`, mute)).status).toBe(403);
    const owner = callerOf(daemon.url, daemon.token);
    expect((await owner.post(`${path}/members`, mute)).json).toMatchObject({ muted: true });
    const person = { actorId: 'human:owner', muted: true };
    expect((await owner.post(`${path}/members`, person)).json).toMatchObject({
      code: 'invalid_request',
    });
  });

  it('pages through what was decided, newest first', async () => {
    const owner = callerOf(daemon.url, daemon.token);
    const root = await send('One more about soup');
    const { decisions } = await over(root);
    const path = `/v1/channels/kitchen/threads/${root}/decisions`;
    type Page = { decisions: StampedDecision[]; nextBefore?: number };
    const seen: number[] = [];
    let before = '';
    for (;;) {
      const { json: page } = await owner.get<Page>(`${path}?limit=1${before}`);
      seen.push(...page.decisions.map(({ seq }) => seq));
      if (page.nextBefore === undefined) break;
      before = `&before=${page.nextBefore}`;
    }
    expect(seen).toEqual(decisions.map(({ seq }) => seq).reverse());
    expect(seen.length).toBeGreaterThan(1);
    expect((await owner.get(`${path}?limit=51`)).status).toBe(400);
  });
});
