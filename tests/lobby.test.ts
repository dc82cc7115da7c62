import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Agent, Channel, Member, Message, Session, StampedDecision } from '@stoa/protocol';
import { callerOf, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerOf, start, stoa } from './stoa-command.js';

const RESIDENTS = ['builder', 'host', 'reviewer'];
const LOBBY = '/v1/channels/lobby';

describe('the first start', () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-lobby-'));
  let daemon: TestDaemon;
  let owner: ReturnType<typeof callerOf>;

  const begin = async (env: Record<string, string> = {}): Promise<void> => {
    daemon = await startDaemon({ home, env: { STOA_LOBBY: 'auto', ...env } });
    owner = callerOf(daemon.url, daemon.token);
  };
  const again = async (): Promise<void> => {
    await daemon.checkAtEnd();
    expect(await daemon.stop()).toBe(0);
    await begin();
  };
  const messages = async (query = ''): Promise<Message[]> =>
    (await owner.get<{ messages: Message[] }>(`${LOBBY}/messages${query}`)).json.messages;
  const sessions = async (): Promise<Session[]> =>
    (await owner.get<{ sessions: Session[] }>('/v1/sessions')).json.sessions;
  const made = async (): Promise<string[]> =>
    (await owner.get<{ agents: Agent[] }>('/v1/agents')).json.agents
      .filter(({ source }) => source === 'api')
      .map(({ agentId }) => agentId)
      .sort();
  const textOf = ({ inputItems }: Message): string =>
    inputItems.map((item) => (item.type === 'text' ? item.text : '')).join('');

  /** The messages and decisions until the turn of a message ends. */
  const ask = async (text: string) => {
    const { json: root } = await owner.post<Message>(`${LOBBY}/messages`, { text });
    const { messageId } = root;
    const decisions = await until('the turn is over', async () => {
      const { json } = await owner.get<{ decisions: StampedDecision[] }>(
        `${LOBBY}/threads/${messageId}/decisions`,
      );
      return json.decisions[0]?.turn.outcome === undefined ? undefined : json.decisions.reverse();
    });
    const replies = await messages(`?threadRootMessageId=${messageId}`);
    const holders = new Map(
      decisions.flatMap(({ granted }) => granted.map((lease) => [lease.leaseId, lease] as const)),
    );
    return {
      messageId,
      decisions,
      replies: replies.map((message) => ({
        by: message.author.displayName,
        to: message.addressedMemberIds,
        text: textOf(message),
        reactions: message.reactions.map(({ emoji }) => emoji),
      })),
      ended: decisions.flatMap(({ ended }) =>
        ended.map(({ leaseId, outcome }) => `${holders.get(leaseId)?.memberId ?? '?'} ${outcome}`),
      ),
      runs: new Map([...holders.values()].map((lease) => [lease.memberId, lease])),
    };
  };

  beforeAll(() => begin());
  afterAll(() => daemon.cleanUp());

  it('opens a lobby with three scripted residents, and says what they are and what to do next', async () => {
    const { json: lobby } = await owner.get<Channel>(LOBBY);
    expect(lobby).toMatchObject({ createdBy: 'human:owner', memberCount: 4, messageCount: 1 });
    const { members } = (await owner.get<{ members: Member[] }>(`${LOBBY}/members`)).json;
    expect(
      members
        .filter(({ memberKind }) => memberKind === 'session')
        .map(({ memberId }) => memberId)
        .sort(),
    ).toEqual(RESIDENTS);
    expect(await made()).toEqual(RESIDENTS);
    for (const { agentId } of await sessions()) {
      const { definition } = (await owner.get<Agent>(`/v1/agents/${agentId}`)).json;
      expect(definition).toMatchObject({ driver: { kind: 'script' }, mode: 'plan' });
    }
    const [welcome] = await messages();
    expect(welcome?.author).toMatchObject({ kind: 'agent', displayName: 'Host' });
    expect(welcome && textOf(welcome)).toMatch(/scripts that came with Stoa, no model is asked/);
    expect(daemon.output().stdout).toMatch(
      /^Stoa is ready at \S+\nLog in with \S+\n[^]*alias stoa=\S+stoa\.js\n[^]*stoa tail lobby --follow[^]*stoa send lobby "hello"[^]*stoa demo/,
    );
  });

  it('tells lines that are true: an ACP agent is plugged in with what the host says', async () => {
    const [welcome] = await messages();
    const line = /`stoa (agent put .*) && stoa channel invite lobby qwen`/.exec(
      welcome ? textOf(welcome) : '',
    );
    const run = ownerOf(daemon);
    expect(await run((line?.[1] ?? '').split(' '))).toMatchObject({ code: 0 });
    expect((await owner.get<Agent>('/v1/agents/qwen')).json.definition?.driver).toEqual({
      kind: 'acp',
      preset: 'qwen',
    });
    expect((await owner.delete('/v1/agents/qwen')).status).toBe(204);
    expect(welcome && textOf(welcome)).toContain('stoa channel invite lobby stoa');
    expect((await owner.get<Agent>('/v1/agents/stoa')).json.source).toBe('builtin');
  });

  it('a greeting has one answer, of the host; the others are asked and abstain', async () => {
    const { replies, ended } = await ask('Hello!');
    expect(replies).toMatchObject([{ by: 'Host', to: [] }]);
    expect(ended).toEqual(['host spoke', 'builder abstained', 'reviewer abstained']);
  });

  it('a request is handed over, done with tools and reviewed by a reaction', async () => {
    const { replies, ended, decisions, runs } = await ask('Could somebody build a shed for us?');
    expect(replies).toMatchObject([
      { by: 'Host', to: ['builder'], text: 'That is a job for @builder: build a shed for us.' },
      { by: 'Builder', to: ['reviewer', 'host'], reactions: ['✅'] },
    ]);
    expect(ended).toEqual(['host spoke', 'builder spoke', 'reviewer reacted', 'host abstained']);
    expect(decisions[1]?.candidates[0]).toMatchObject({ memberId: 'builder', reason: 'called' });

    const builder = runs.get('builder');
    const { json } = await owner.get<{ events: { type: string; data: { tool?: string } }[] }>(
      `/v1/topics/session:${builder?.sessionId ?? ''}/events?limit=200`,
    );
    const used = json.events
      .filter(({ type }) => type === 'tool_call')
      .map(({ data }) => data.tool);
    expect(used.slice(-2)).toEqual(['read_channel_thread', 'remember']);
    const { memories } = (await owner.get<{ memories: { namespace: string }[] }>('/v1/memories'))
      .json;
    expect(memories.map(({ namespace }) => namespace)).toEqual(['channel:lobby']);
  });

  it('the reviewer speaks where something is left out, and when it is called by name', async () => {
    const objected = await ask('Please write a plan without dates');
    expect(objected.replies.map(({ by }) => by)).toEqual(['Host', 'Builder', 'Reviewer']);
    const called = await ask('@reviewer, what do you look for?');
    expect(called.replies.map(({ by }) => by)).toEqual(['Reviewer']);
    expect(called.ended).toEqual(['reviewer spoke']);
  });

  it('what the host does not know is answered with how to bring in a model', async () => {
    const { replies } = await ask('Which blue is best?');
    expect(replies).toMatchObject([{ by: 'Host' }]);
    expect(replies[0]?.text).toMatch(
      /I am a script[^]*\n- a model: [^]*\n- an agent that speaks ACP: /,
    );
  });

  it('stoa demo plays in a channel of its own with the daemon that runs, and leaves no session', async () => {
    const before = await sessions();
    const { code, out, err } = await ownerOf(daemon)(['demo', '--fast']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const name of ['Host', 'Builder', 'Reviewer'])
      expect(out).toMatch(new RegExp(`^${name} +\\S`, 'm'));
    expect(out).toContain('· Host hands over to Builder\n');
    expect(out).toContain('· Builder uses remember (');
    expect(out).toContain('· Reviewer reacts with ✅ to the message of Builder\n');
    expect(out).toContain('· Host passed: had nothing to say\n');
    expect(out).toMatch(/ 1 +Builder +granted +was called by the last reply\n/);
    expect(out).toContain('no model is called');
    const [welcome] = await messages();
    const commands = [...(welcome ? textOf(welcome) : '').matchAll(/`([^`]+)`/g)];
    expect(commands).toHaveLength(3);
    for (const [, command = ''] of commands) expect(out).toContain(command);
    expect(out).not.toContain('\u001b');
    expect(await sessions()).toEqual(before);
    const shown = /stoa history (demo-\w+)/.exec(out)?.[1] ?? '';
    expect((await owner.get<Channel>(`/v1/channels/${shown}`)).json.archivedAt).toBeGreaterThan(0);
    // Nor after the watcher has left.
    const left = start(['demo', '--fast'], { env: { STOA_HOME: daemon.home } });
    await until('it plays', () => left.output().out.includes('scripts'));
    left.process.stdout?.destroy();
    expect(await left.ended).toBe(0);
    expect(await sessions()).toEqual(before);
  });

  it('the next start creates nothing again', async () => {
    const before = [await sessions(), await made(), await messages()];
    await again();
    expect([await sessions(), await made(), await messages()]).toEqual(before);
    expect(daemon.output().stdout).not.toContain('stoa demo');
  });

  it('what a start that was cut off left undone is completed by the next one', async () => {
    // The state after a crash: the channel exists and is marked, and a member is missing.
    await owner.patch(LOBBY, { metadata: { firstStart: 'begun' } });
    expect((await owner.delete(`${LOBBY}/members/reviewer`)).status).toBe(204);
    expect((await owner.delete('/v1/agents/builder')).status).toBe(204);
    const before = [await sessions(), await messages()];
    await again();
    const { members } = (await owner.get<{ members: Member[] }>(`${LOBBY}/members`)).json;
    expect(members.map(({ memberId }) => memberId).sort()).toEqual([
      ...RESIDENTS.slice(0, 2),
      'owner',
      'reviewer',
    ]);
    expect(await made()).toEqual(RESIDENTS);
    // Keys keep it from doing twice what was done.
    expect([await sessions(), await messages()]).toEqual(before);
    expect((await owner.get<Channel>(LOBBY)).json.metadata).toEqual({ firstStart: 'done' });
  });

  it('residents are edited and deleted as any agent, and a deleted lobby stays deleted', async () => {
    expect((await owner.delete('/v1/agents/reviewer')).status).toBe(204);
    expect((await owner.delete(LOBBY)).status).toBe(204);
    await again();
    expect((await owner.get(LOBBY)).status).toBe(404);
    expect(daemon.output().stderr).not.toContain('the lobby was not opened');
    expect(await made()).toEqual(['builder', 'host']);
  });
});

/** Mostly waiting, each for daemons of its own: side by side they take as long as the longest. */
describe.concurrent('a start elsewhere', () => {
  it('off means nothing is made, and stoa demo then has a daemon of its own that is gone afterwards', async () => {
    const empty = await startDaemon({ env: { STOA_LOBBY: 'off' } });
    try {
      const caller = callerOf(empty.url, empty.token);
      expect((await caller.get<{ channels: unknown[] }>('/v1/channels')).json.channels).toEqual([]);
      expect(empty.output().stdout).not.toContain('lobby');
      const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-demo-'));
      const env = { TMPDIR: temporary };
      const played = ownerOf(empty)(['demo', '--fast'], { env });
      const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-demo-'));
      const cut = start(['demo', '--fast'], {
        env: { TMPDIR: elsewhere, STOA_HOME: path.join(elsewhere, 'none') },
      });
      await until('it plays', () => cut.output().out.includes('You'));
      cut.process.kill('SIGINT');
      expect(await cut.ended).toBe(130);
      expect(fs.readdirSync(elsewhere)).toEqual([]);
      fs.rmSync(elsewhere, { recursive: true });

      const { code, out, err } = await played;
      expect({ code, err }).toEqual({
        code: 0,
        err: 'stoa: starting a temporary daemon for the demonstration\n',
      });
      expect(out).toContain('· Host hands over to Builder\n');
      expect(fs.readdirSync(temporary)).toEqual([]);
      fs.rmSync(temporary, { recursive: true });
      expect((await caller.get<{ channels: unknown[] }>('/v1/channels')).json.channels).toEqual([]);
    } finally {
      await empty.cleanUp();
    }
  });

  it('a directory that was used before gets no lobby', async () => {
    const used = await startDaemon();
    try {
      const channel = { channelId: 'team', title: 'Team' };
      expect((await callerOf(used.url, used.token).post('/v1/channels', channel)).status).toBe(201);
      await used.stop();
      const next = await startDaemon({ home: used.home, env: { STOA_LOBBY: 'auto' } });
      try {
        const { json } = await callerOf(next.url, next.token).get<{ channels: Channel[] }>(
          '/v1/channels',
        );
        expect(json.channels.map(({ channelId }) => channelId)).toEqual(['team']);
      } finally {
        await next.cleanUp();
      }
    } finally {
      await used.cleanUp();
    }
  });

  it('stoa demo wants the daemon that was named, and is not for scripts', async () => {
    const named = await stoa(['--url', 'http://127.0.0.1:9', 'demo', '--fast']);
    expect(named).toMatchObject({ code: 3, out: '' });
    expect(await stoa(['demo', '--json'])).toMatchObject({ code: 2, out: '' });
  });
});
