import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObservationSourceWithSecret, Run, Session } from '@stoa/protocol';
import {
  always,
  askSession,
  type Caller,
  call,
  callerOf,
  FakeModel,
  HOSTILE_TEXTS,
  type HostileText,
  newPerson,
  type Reply,
  say,
  startDaemon,
  type TestDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Probed, RESPONSIVE_MS, whileProbed } from './responsive.js';

const KEY = 'sk-of-the-environment';
const MESSAGES = '/v1/channels/room/messages';
/** The mark that opens an envelope, and as many blanks as a message has channel for. */
const OPENING = `<${' '.repeat(65_000)}`;
const AT_ONCE = 2;
/** The functions that read text are given all of the corpus beside their sources. */
const EACH = 13;

describe('a daemon that is given hostile input', () => {
  let daemon: TestDaemon;
  let model: FakeModel;
  let owner: Caller;
  let attacked: Probed;
  let workspace: string;
  let deliveries = 0;

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'stoa-hostile-'));
    model = await FakeModel.start({ key: KEY });
    const env = {
      OPENAI_BASE_URL: model.openaiUrl,
      OPENAI_API_KEY: KEY,
      OPENAI_MODEL: 'fake-model',
    };
    daemon = await startDaemon({ env });
    owner = callerOf(daemon.url, daemon.token);
    const autonomyPolicy = { memberCooldownMs: 0, maxParallelPublicSpeakers: 20 };
    await owner.post('/v1/channels', { channelId: 'room', title: 'Room', autonomyPolicy });
    attacked = await probed(daemon);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    await model.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  /** Another person posts in a channel of that person's own. */
  const probed = async (of: TestDaemon): Promise<Probed> => {
    const { token } = await newPerson(of, 'anna');
    const other = callerOf(of.url, token);
    const made = await other.post('/v1/channels', { channelId: 'aside', title: 'Aside' });
    expect(made.status, made.text).toBe(201);
    return { daemon: of, other, messages: '/v1/channels/aside/messages' };
  };
  const openSession = async (mode: string, agentId = 'stoa'): Promise<Session> => {
    const made = await owner.post<Session>('/v1/sessions', { agentId, workspace, mode });
    expect(made.status, made.text).toBe(201);
    return made.json;
  };
  const runOf = (sessionId: string, text: string) => askSession(owner, sessionId, text);
  const answers = (...replies: Reply[]): void => {
    model.script(replies);
  };
  const lastResults = (): string[] =>
    model.requests.at(-1)?.toolResults.map(({ text }) => text) ?? [];

  it('SE-45 a checkout with a huge ignore file does not stop a search, which says what it left out', async () => {
    const checkout = join(workspace, 'checkout');
    mkdirSync(checkout);
    for (let i = 0; i < 500; i += 1) {
      writeFileSync(join(checkout, `${'a'.repeat(30)}${i}.ts`), '');
    }
    const rules = Array.from({ length: 60_000 }, (_, i) => `*a*a*a*a*a*a*b${i}`);
    writeFileSync(join(checkout, '.gitignore'), `${rules.join('\n')}\n`);
    const { sessionId } = await openSession('plan');
    const searched = async (path: string) => {
      const began = performance.now();
      answers(useTools([toolCall('glob', { pattern: '**/*.ts', path })]), say('done'));
      const run = await runOf(sessionId, 'search');
      return { run, ms: performance.now() - began };
    };
    const { result, longestMs } = await whileProbed(attacked, () => searched('checkout'));
    expect(result.ms).toBeLessThan(5_000);
    expect(result.run.status).toBe('completed');
    const [found = ''] = lastResults();
    expect(found).toContain('.gitignore was read up to 64 KiB and 2,000 rules');
    expect(found.match(/a\d+\.ts/g)).toHaveLength(500);
    expect(longestMs).toBeLessThan(RESPONSIVE_MS);
  });

  it('SE-47 an opening mark and 65,000 blanks stop nobody, when they arrive and in each later prompt', async () => {
    writeFileSync(join(workspace, 'opening.txt'), OPENING);
    const { sessionId } = await openSession('full');
    const made = await owner.post<ObservationSourceWithSecret>('/v1/observation-sources', {
      channelId: 'room',
      title: 'Disks',
    });
    expect(made.status, made.text).toBe(201);
    const { longestMs } = await whileProbed(attacked, async () => {
      const posted = await owner.post(MESSAGES, { text: OPENING });
      expect(posted.status, posted.text).toBe(201);
      expect(await observe(made.json, OPENING.slice(0, 4_000))).toBe(201);
      answers(
        useTools([
          toolCall('read_file', { path: 'opening.txt' }),
          toolCall('shell', { command: 'cat opening.txt; echo end' }),
        ]),
        say('read'),
      );
      expect((await runOf(sessionId, `Read this: ${OPENING}`)).status).toBe('completed');
      expect(lastResults().map((text) => text.includes('<untrusted'))).toEqual([true, true]);
      expect(lastResults().map(hasBlanks)).toEqual([true, true]);

      model.script([
        useTools([
          toolCall('shell', { command: 'cat opening.txt; echo end', is_background: true }),
        ]),
        ({ toolResults }) => {
          const [taskId = ''] = /tsk_\w+/.exec(toolResults[0]?.text ?? '') ?? [];
          const part = { task_id: taskId, offset: 0, wait_ms: 10_000 };
          return useTools([toolCall('task_output', part)]);
        },
        always(say('read')),
      ]);
      expect((await runOf(sessionId, 'in the background')).status).toBe('completed');
      const outputs = model.requests.flatMap(({ toolResults }) => toolResults);
      expect(outputs.some(({ name, text }) => name === 'task_output' && hasBlanks(text))).toBe(
        true,
      );

      const { sessionId: senderId } = await openSession('full');
      const before = model.requests.length;
      model.script([
        // In large pieces: thousands of small ones would keep the process of the test busy, which measures.
        useTools([toolCall('send_message', { to: sessionId, message: OPENING })], {
          chunkSize: 65_536,
        }),
        always(say('read')),
      ]);
      expect((await runOf(senderId, 'send it')).status).toBe('completed');
      await until('its message was read', async () => {
        const path = `/v1/sessions/${sessionId}/runs`;
        const { runs } = (await owner.get<{ runs: Run[] }>(path)).json;
        const from = `session:${senderId}`;
        return runs.some((run) => run.requestedBy === from && run.status === 'completed');
      });
      const read = model.requests.slice(before).map(({ lastUserText }) => lastUserText);
      expect(
        read.some((text) => text.includes(senderId) && text.includes(' '.repeat(60_000))),
      ).toBe(true);
      for (const text of ['once more', 'and again']) {
        answers(say('read'));
        expect((await runOf(sessionId, text)).status).toBe('completed');
      }
    });
    expect(longestMs).toBeLessThan(RESPONSIVE_MS);
  });

  /** Tools shorten what they read: of a line of a file, 2,000 characters are left. */
  const hasBlanks = (text: string): boolean => text.includes(' '.repeat(1_900));

  const observe = async (
    { source, secret }: ObservationSourceWithSecret,
    text: string,
  ): Promise<number> => {
    deliveries += 1;
    const raw = JSON.stringify({ text });
    const time = String(Math.floor(Date.now() / 1_000));
    const v1 = createHmac('sha256', secret).update(`${time}.`).update(raw).digest('hex');
    const { status } = await call(daemon.url, 'POST', `/v1/observations/${source.sourceId}`, {
      raw,
      headers: {
        'content-type': 'application/json',
        'stoa-signature': `t=${time},v1=${v1}`,
        'stoa-delivery': `delivery-${deliveries}`,
      },
    });
    return status;
  };

  it('SE-48 every hostile text can be posted, searched for and read by an agent of the channel', async () => {
    const script = 'otherwise: [{ say: "read" }]';
    await owner.put('/v1/agents/listener', { driver: { kind: 'script', script }, mode: 'plan' });
    const { sessionId } = await openSession('plan', 'listener');
    const member = { actorId: `session:${sessionId}`, memberId: 'listener' };
    const joined = await owner.post('/v1/channels/room/members', member);
    expect(joined.status, joined.text).toBe(200);
    const texts = HOSTILE_TEXTS.filter((_, index) => index % EACH === 0);
    const { longestMs } = await whileProbed(attacked, async () => {
      for (let from = 0; from < texts.length; from += AT_ONCE) {
        await Promise.all(texts.slice(from, from + AT_ONCE).map(sayAndSearch));
      }
      const path = `/v1/sessions/${sessionId}/runs?limit=100`;
      await until(
        'the agent has read all of them',
        async () => {
          const { runs } = (await owner.get<{ runs: Run[] }>(path)).json;
          return runs.filter(({ status }) => status === 'completed').length === texts.length;
        },
        { timeoutMs: 60_000 },
      );
    });
    expect(longestMs).toBeLessThan(RESPONSIVE_MS);
  });

  const sayAndSearch = async ({ name, ofLength }: HostileText): Promise<void> => {
    const text = ofLength(20_000).toWellFormed().replaceAll('\0', ' ');
    const { status } = await owner.post(MESSAGES, { text: `@listener x${text}` });
    expect(status, name).toBe(201);
    const query = encodeURIComponent(text.slice(0, 200));
    expect((await owner.get(`/v1/search?query=${query}`)).status, name).toBeLessThan(500);
  };

  it('SE-48 the delay of the event loop is a metric', async () => {
    const { text } = await owner.get('/metrics');
    const delay = /^stoa_event_loop_delay_seconds\{quantile="0.99"\} (\S+)$/m.exec(text)?.[1];
    expect(Number(delay)).toBeGreaterThanOrEqual(0);
  });
});
