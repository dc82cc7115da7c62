import {
  type AgentFixture,
  type AgentSession,
  OWNER,
  outputOf,
  sendSignal,
  until,
} from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { type AcpStageOptions, openStage } from './acp-stage.fixture.js';

const open = ({ limits, ...options }: AcpStageOptions = {}): Promise<AgentFixture> =>
  openStage({ limits: { backoffMs: [1], ...limits }, keepsSessions: true, ...options });

const LATE = { agent: { replay: 'late' } } as const;
const PRIVATE = 'the salary is 4711';
/** Takes long enough for a whole replay during the turn. */
const SLOW = '!say Now.\n!raw {"sessionUpdate":"plan","entries":[]}\n!pause 1000\n!say Done.';

/** A public channel with one agent in it. */
async function channelWith(stage: AgentFixture, { sessionId }: AgentSession) {
  const channelId = 'room';
  const core = () => stage.daemon.core;
  const autonomyPolicy = { memberCooldownMs: 0 };
  await core().channels.create(OWNER, { channelId, title: 'Room', autonomyPolicy });
  const actorId = `session:${sessionId}`;
  await core().channels.upsertMember(OWNER, channelId, { actorId, memberId: 'helper' });
  const page = { before: Number.MAX_SAFE_INTEGER, limit: 200 };
  return {
    /** Waits until the turn is over. */
    async ask(text: string): Promise<void> {
      const posted = await core().channels.post(OWNER, channelId, { text: `@helper\n${text}` });
      await until('the turn is over', async () => {
        const { messageId } = posted;
        const [newest] = await core().turns.decisions(OWNER, channelId, messageId, page);
        return newest?.turn.outcome;
      });
    },
    /** The messages of agents, and the authors of other messages. */
    async read(): Promise<string[]> {
      const query = { scope: 'all', after: 0, limit: 200 } as const;
      const { messages } = await core().channels.messages(OWNER, channelId, query);
      return messages.map(({ author, inputItems: [item] }) =>
        author.kind === 'human' ? author.id : `helper: ${item?.type === 'text' ? item.text : ''}`,
      );
    },
  };
}

describe('a program that repeats earlier messages when it loads a session', () => {
  it.each([
    [
      'after it was idle',
      async (stage: AgentFixture) => {
        await until('it has ended', () => stage.processes.length === 0);
      },
    ],
    [
      'after it was killed',
      async (stage: AgentFixture) => {
        const before = stage.processes;
        for (const pid of before) {
          // The guard ends with its program.
          if (stage.processes.includes(pid)) sendSignal(pid, 'SIGKILL');
        }
        await until('it has ended', () => stage.processes.every((pid) => !before.includes(pid)));
      },
    ],
    ['after a restart of the daemon', (stage: AgentFixture) => stage.restart()],
  ])(
    'AC-1 AC-2 late: none of them is journaled or published in a channel, %s',
    async (how, interrupt) => {
      const stage = await open({ ...LATE, limits: how.includes('idle') ? { idleMs: 50 } : {} });
      const session = await stage.session();
      const channel = await channelWith(stage, session);
      await channel.ask('!say one');
      await session.ask(`!say ${PRIVATE}`);
      await interrupt(stage);
      const again = session.on(stage.daemon);
      await channel.ask(SLOW);
      expect(await channel.read()).toEqual([
        'human:owner',
        'helper: one',
        'human:owner',
        'helper: Now.Done.',
      ]);
      const parts = (await again.all('model_message')).flatMap(({ data }) => data.parts);
      const texts = parts.map((part) => (part.type === 'text' ? part.text : ''));
      expect(texts).toEqual(['one', PRIVATE, 'Now.Done.']);
      expect((await again.all('note')).map(({ data }) => data.code)).toContain('reprimed');
    },
  );

  it('AC-3 begins a new session and gets the earlier conversation from the journal', async () => {
    const stage = await open(LATE);
    const session = await stage.session();
    await session.ask('!say my number is 42');
    await stage.restart();
    const again = session.on(stage.daemon);
    await again.ask('!say two');
    expect(stage.received.filter(({ type }) => type === 'new')).toHaveLength(2);
    expect(stage.prompts[1]).toContain('<untrusted source="journal of this session"');
    expect(stage.prompts[1]).toContain('my number is 42');
    const reprimed = (await again.all('note')).find(({ data }) => data.code === 'reprimed');
    expect(reprimed?.data.text).toContain('would repeat its earlier messages');
  });

  it('AC-3 is never asked to load a session if its preset says so', async () => {
    const stage = await open({ config: { preset: 'gemini' } });
    const session = await stage.session();
    await session.ask('!say my number is 42');
    await stage.restart();
    await session.on(stage.daemon).ask('!say two');
    expect(stage.received.map(({ type }) => type).filter((type) => type !== 'set_mode')).toEqual([
      ...['new', 'prompt', 'new', 'prompt'],
    ]);
    expect(stage.prompts[1]).toContain('my number is 42');
  });

  it('AC-1 is stopped if it does so during a turn, and gets the prompt again in a new session', async () => {
    const stage = await open();
    const session = await stage.session();
    await session.ask('!say one');
    await stage.restart();
    const again = session.on(stage.daemon);
    const old = { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: PRIVATE } };
    const leak = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: PRIVATE } };
    const lines = [old, leak].map((update) => `!once raw ${JSON.stringify(update)}`);
    // The prompt itself must not contain the repeated text.
    const prompt = lines.join('\n').replaceAll('salary', '\\u0073alary');
    expect(outputOf(await again.ask(`${prompt}\n!say two`))).toBe('two');
    expect(stage.received.filter(({ type }) => type === 'new')).toHaveLength(2);
  });
});

describe('a run that a restart interrupted', () => {
  it('AC-19 repeats the prompt, for a program that had not stored it', async () => {
    const stage = await open({ agent: { forgetsPrompts: true } });
    const session = await stage.session();
    await session.ask('!say an earlier answer');
    const { runId } = await session.submit('!permit {"toolCallId":"c","kind":"other","title":"x"}');
    await stage.asked(session);
    await stage.restart();
    const again = session.on(stage.daemon);
    await until('the prompt was repeated', () => stage.prompts.length === 3);
    expect(stage.prompts[2]).toMatch(/cut off by a restart[^]*# What is asked now[^]*!permit/);
    await stage.answer(again, { decision: 'allow', scope: 'once' });
    expect(outputOf(await again.ended(runId))).toBe('allowed');
  });
});

describe('a refreshed session', () => {
  it('AC-21 is closed in its program before it is opened again', async () => {
    const stage = await open({ agent: { closes: true } });
    const session = await stage.session();
    await session.ask('!say one');
    await stage.daemon.core.sessions.refresh(OWNER, session.sessionId);
    await session.ask('!say two');
    expect(stage.received.map(({ type }) => type)).toEqual([
      'new',
      'prompt',
      'close',
      'load',
      'prompt',
    ]);
  });

  it('AC-21 leaves the program of the old definition, which ends with its last session', async () => {
    const stage = await open({ agent: { closes: true } });
    const [one, two] = [await stage.session(), await stage.session()];
    await one.ask('!say one');
    await two.ask('!say two');
    const old = stage.processes;
    stage.redefine({ STAGE_VERSION: '2' });
    await stage.daemon.core.sessions.refresh(OWNER, one.sessionId);
    await one.ask('!say one again');
    expect(stage.processes).toEqual(expect.arrayContaining(old));
    await stage.daemon.core.sessions.refresh(OWNER, two.sessionId);
    await two.ask('!say two again');
    await until('the old program has ended', () =>
      stage.processes.every((pid) => !old.includes(pid)),
    );
    const types = stage.received.map(
      ({ type, id = '' }) => `${type} ${id.split('-').at(-1) ?? ''}`,
    );
    expect(types.slice(4)).toEqual([
      'close 1',
      'load 1',
      'prompt 1',
      'close 2',
      'load 2',
      'prompt 2',
    ]);
  });
});
