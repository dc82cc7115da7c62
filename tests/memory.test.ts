import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeClient } from '@stoa/client/node';
import { type Channel, LIMITS, type Member, type Message, type Session } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  FAKE_AGENT,
  FakeModel,
  newPerson,
  readAgentLog,
  say,
  startDaemon,
  type TestDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json as jsonOf, ownerOf } from './stoa-command.js';

describe('who agents are in a channel and what they remember, over HTTP', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let ada: Caller;
  let model: FakeModel;
  let workspace: string;

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'stoa-memory-'));
    model = await FakeModel.start({ key: 'sk-memory' });
    daemon = await startDaemon({
      env: {
        OPENAI_BASE_URL: model.openaiUrl,
        OPENAI_API_KEY: 'sk-memory',
        OPENAI_MODEL: 'fake-model',
      },
    });
    owner = callerOf(daemon.url, daemon.token);
    ada = await newPerson(daemon, 'ada');
    const driver = { kind: 'builtin' };
    const definition = { driver, instructions: 'Be brief.' };
    expect((await owner.put('/v1/agents/thinker', definition)).status).toBe(200);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    await model.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  const create = async (channelId: string, more: object = {}): Promise<Channel> => {
    const body = { channelId, title: 'Room', autonomyPolicy: { memberCooldownMs: 0 }, ...more };
    const made = await owner.post<Channel>('/v1/channels', body);
    expect(made.status, made.text).toBe(201);
    return made.json;
  };
  const newSession = async (): Promise<string> => {
    const body = { agentId: 'thinker', workspace };
    return (await owner.post<Session>('/v1/sessions', body)).json.sessionId;
  };
  const bringIn = async (channelId: string, sessionId: string): Promise<Member> => {
    const body = { actorId: `session:${sessionId}` };
    return (await owner.post<Member>(`/v1/channels/${channelId}/members`, body)).json;
  };
  const give = async (channelId: string, text: string): Promise<string> => {
    const {
      status,
      json,
      text: raw,
    } = await owner.post<Message>(`/v1/channels/${channelId}/messages`, { text });
    expect(status, raw).toBe(201);
    expect(json.author).toEqual({ kind: 'system', id: 'system', displayName: 'Stoa' });
    const [item] = json.inputItems;
    return item?.type === 'text' ? item.text : '';
  };
  const read = async (channelId: string): Promise<Message[]> =>
    (await owner.get<{ messages: Message[] }>(`/v1/channels/${channelId}/messages`)).json.messages;

  /** Asks, has the model do this, and tells what it was sent to begin with. */
  const asked = async (
    channelId: string,
    text: string,
    ...calls: ReturnType<typeof toolCall>[]
  ): Promise<string> => {
    const from = model.requests.length;
    const speak = toolCall('emit_output', { content: 'Noted.' });
    model.script([useTools([...calls, speak]), say('Done.')]);
    const posted = await owner.post<Message>(`/v1/channels/${channelId}/messages`, { text });
    const path = `/v1/channels/${channelId}/threads/${posted.json.messageId}/decisions`;
    await until('the turn is over', async () => {
      const { json } = await owner.get<{ decisions: { turn: { outcome?: string } }[] }>(path);
      return json.decisions[0]?.turn.outcome;
    });
    return model.requests[from]?.text ?? '';
  };
  const messagesIn = (request: string): unknown[] =>
    (JSON.parse(request) as { messages: unknown[] }).messages;
  const NOTE = 'Channel identity:';
  const times = (text: string, part: string): number => text.split(part).length - 1;

  it('C-53 a channel where nothing is configured is called by its id', async () => {
    const made = await create('plain');
    const derived = {
      identity: { id: 'channel:plain', displayName: 'plain' },
      memoryScope: { namespace: 'channel:plain', mode: 'metadata-only' },
    };
    expect(made).toMatchObject(derived);
    expect(made).not.toHaveProperty('warnings');
    expect((await owner.get('/v1/channels/plain')).json).toMatchObject(derived);
    const change = { identity: { displayName: 'Plainer' }, memoryScope: { namespace: 'ours' } };
    expect((await owner.patch('/v1/channels/plain', change)).json).toMatchObject({
      identity: { id: 'channel:plain', displayName: 'Plainer' },
      memoryScope: { namespace: 'ours', mode: 'metadata-only' },
    });
    const cleared = await owner.patch('/v1/channels/plain', { identity: null, memoryScope: null });
    expect(cleared.json).toMatchObject(derived);
    expect((await ada.patch('/v1/channels/plain', change)).status).toBe(403);
  });

  it('C-54 the prompt keeps its plain shape where nothing is configured', async () => {
    await create('unmarked');
    await bringIn('unmarked', await newSession());
    const prompt = await asked('unmarked', 'Hello');
    expect(prompt).toContain(String.raw`You have the turn in the channel \"Room\"`);
    expect(prompt).not.toContain(NOTE);
    expect(prompt).not.toContain('Memory scope');
  });

  it('C-54 the note comes once, after the instructions, before what is asked, and the prompt only grows', async () => {
    const identity = { id: 'ops-bot', displayName: 'Ops Bot' };
    await create('marked', { identity, memoryScope: { namespace: 'tag:ops' } });
    const sessionId = await newSession();
    await bringIn('marked', sessionId);
    const first = await asked('marked', 'Hello');
    const text =
      'Channel identity:\\n- id: ops-bot\\n- display name: Ops Bot\\n\\n' +
      'Memory scope:\\n- namespace: tag:ops\\n- mode: metadata-only\\n' +
      '- data from other channels must not be shared.';
    expect(first).toContain(text);
    expect(first.indexOf('Be brief.')).toBeLessThan(first.indexOf(NOTE));
    expect(first.indexOf(NOTE)).toBeLessThan(first.indexOf('You have the turn'));
    const second = await asked('marked', 'Again');
    expect(times(second, NOTE)).toBe(1);
    // What a provider has read of it stays as it was.
    const opening = messagesIn(first);
    expect(messagesIn(second).slice(0, opening.length)).toEqual(opening);
    expect((await owner.post(`/v1/sessions/${sessionId}/clear`)).status).toBe(200);
    expect(times(await asked('marked', 'And now?'), NOTE)).toBe(1);
  });

  it('C-55 /who and /status say who agents are here and what memory they have, in one line', async () => {
    const words = async (channelId: string): Promise<[string, string]> => [
      await give(channelId, '/who'),
      await give(channelId, '/status'),
    ];
    await create('bare');
    expect(await words('bare')).toEqual([
      'bare, memory channel:bare. Here: owner.',
      'channel:bare, memory mode metadata-only; not paused; nobody has the turn; 0 threads open.',
    ]);
    const identity = { id: 'crew', displayName: 'The Crew', description: 'All of us' };
    await create('crew', { identity, memoryScope: { namespace: 'n', mode: 'isolated' } });
    await bringIn('crew', await newSession());
    const [who, status] = await words('crew');
    expect(who).toBe('The Crew, memory n. Here: owner, thinker (agent).');
    expect(status).toMatch(/^crew, memory mode isolated; /);
    for (const line of [who, status]) {
      expect(line).not.toContain(workspace);
      expect(line).not.toMatch(/(^|\s)\//);
      expect(line.length).toBeLessThan(200);
    }
    // Reported to everybody by the system, without opening a turn.
    const messages = await read('crew');
    expect(messages.map(({ author }) => author.kind)).toEqual(['system', 'system']);
    expect((await owner.get('/v1/channels/crew/leases?state=all')).json).toEqual({ leases: [] });
  });

  it('C-55 a command that is not known is refused with those there are; two slashes are one', async () => {
    await create('slashes');
    const path = '/v1/channels/slashes/messages';
    const refused = await owner.post(path, { text: '/whoami now' });
    expect([refused.status, refused.json.code]).toEqual([400, 'unknown_command']);
    expect(refused.json.detail).toContain(
      '/who, /status, /cancel [NAME], /clear NAME [yes], /pause, /resume, /help',
    );
    expect((await owner.post(path, { text: '/who is it' })).json.code).toBe('invalid_request');
    const items = ['/who', 'and'].map((text) => ({ type: 'text', text }));
    expect((await owner.post(path, { inputItems: items })).json.code).toBe('invalid_request');
    expect(await read('slashes')).toEqual([]);
    const posted = await owner.post<Message>(path, { text: '//who is it' });
    expect(posted.json).toMatchObject({
      author: { kind: 'human' },
      inputItems: [{ type: 'text', text: '/who is it' }],
    });
    expect(await give('slashes', '/help')).toContain('/pause (give no agent a turn until /resume)');
    const key = { headers: { 'idempotency-key': 'same' } };
    const twice = [
      await owner.post<Message>(path, { text: '/status' }, key),
      await owner.post<Message>(path, { text: '/status' }, key),
    ];
    expect(twice[0]?.json.messageId).toBe(twice[1]?.json.messageId);
    expect((await ada.post(path, { text: '/who' })).json).toMatchObject({ code: 'not_member' });
  });

  it('C-56 an unknown mode is taken as metadata-only, with a warning in the answer and the log', async () => {
    const made = await create('odd', { memoryScope: { mode: 'sealed' } });
    expect(made.memoryScope).toEqual({ namespace: 'channel:odd', mode: 'metadata-only' });
    expect(made.warnings).toEqual([expect.stringContaining('"sealed" is not known') as string]);
    expect((await owner.get<Channel>('/v1/channels/odd')).json.warnings).toHaveLength(1);
    await until('the log of the daemon contains it', () =>
      daemon.output().stderr.includes('is not known and is treated as metadata-only'),
    );
    const mended = await owner.patch<Channel>('/v1/channels/odd', {
      memoryScope: { mode: 'isolated' },
    });
    expect(mended.json).not.toHaveProperty('warnings');
  });

  it('C-56 a canary of an isolated channel is in no prompt elsewhere, and comes back where it is', async () => {
    const canary = 'canary-4711';
    await create('sealed', { memoryScope: { mode: 'isolated' } });
    await create('open', { memoryScope: { namespace: 'open' } });
    const sessionId = await newSession();
    await bringIn('sealed', sessionId);
    await bringIn('open', sessionId);
    const from = model.requests.length;
    await asked('sealed', `Keep ${canary}`, toolCall('remember', { text: `It is ${canary}` }));
    const after = model.requests.length;
    await asked(
      'open',
      'What did you keep?',
      toolCall('recall', { namespace: 'channel:sealed' }),
      toolCall('remember', { text: 'asked in the open' }),
    );
    const outside = model.requests.slice(after).map(({ text }) => text);
    expect(outside.some((text) => text.includes(canary))).toBe(false);
    expect(outside.at(-1)).toContain('Nothing of this is remembered in channel:sealed.');
    const inside = model.requests.length;
    await asked('sealed', 'And elsewhere?', toolCall('recall', { namespace: 'open' }));
    const seen = model.requests.slice(inside).map(({ text }) => text);
    expect(seen[0]).toContain(canary);
    expect(seen.at(-1)).toContain('memory_isolated');
    expect(seen.at(-1)).not.toContain('asked in the open');
    expect(model.requests.slice(from, after).at(-1)?.text).toContain(canary);
    // The prompt of a later session contains the notes, in an envelope.
    await owner.delete(`/v1/channels/sealed/members/thinker`);
    await bringIn('sealed', await newSession());
    const request = await asked('sealed', 'Hello');
    expect(request).toMatch(/Notes in memory, oldest first\.\\n<untrusted source=\\"memory /);
    expect(request).toContain(`It is ${canary}`);
    type Memories = { memories: { memoryId: string; namespace: string }[] };
    const listed = await owner.get<Memories>('/v1/memories');
    expect(listed.json.memories.map(({ namespace }) => namespace)).toEqual([
      'open',
      'channel:sealed',
    ]);
    expect((await ada.get<Memories>('/v1/memories')).json.memories).toEqual([]);
  });

  it('C-54 C-56 an agent program has a separate session in an isolated channel, and each gets the context once', async () => {
    const [log, store] = ['log', 'store'].map((name) => join(workspace, name));
    const driver = {
      kind: 'acp',
      command: [process.execPath, FAKE_AGENT],
      env: { FAKE_AGENT: JSON.stringify({ log, store }) },
    };
    expect((await owner.put('/v1/agents/program', { driver })).status).toBe(200);
    const body = { agentId: 'program', workspace };
    const { sessionId } = (await owner.post<Session>('/v1/sessions', body)).json;
    for (const channelId of ['east', 'west']) {
      await create(channelId, { memoryScope: { mode: 'isolated' } });
      await bringIn(channelId, sessionId);
    }
    const rounds = [
      ['east', '!say kept, canary-east'],
      ['west', '!say hello'],
      ['east', '!say again'],
    ] as const;
    for (const [channelId, text] of rounds) {
      const count = (await read(channelId)).length;
      await owner.post(`/v1/channels/${channelId}/messages`, { text });
      await until('it has answered', async () => (await read(channelId)).length === count + 2);
    }
    const prompts = readAgentLog(log ?? '').filter(({ prompt }) => prompt !== undefined);
    const texts = prompts.map(({ prompt = [] }) => prompt.map(({ text }) => text).join('\n'));
    expect(texts.map((text) => times(text, NOTE))).toEqual([1, 1, 0]);
    expect(texts[0]).toContain('- namespace: channel:east');
    expect(texts[1]).not.toContain('canary-east');
    expect(texts.join('\n')).not.toContain('an earlier session that cannot be continued');
    const [first, second, third] = prompts.map(({ id }) => id);
    expect(second).not.toBe(first);
    expect(third).toBe(first);
  });

  it('C-56 people see what is remembered and delete it, from the command line', async () => {
    const run = ownerOf(daemon);
    expect((await run(['memory', 'list'])).out).toMatch(/\nchannel:sealed +1 +human:owner /);
    const shown = await run(['memory', 'show', 'channel:sealed']);
    expect(shown.out).toMatch(/^nte_\w+ .*\n {2}It is canary-4711\n$/);
    const noteId = shown.out.split(' ')[0] ?? '';
    expect((await run(['memory', 'forget', 'channel:sealed', noteId])).code).toBe(0);
    expect((await run(['memory', 'show', 'channel:sealed'])).err).toContain('this memory is empty');
    expect((await run(['memory', 'clear', 'open'])).code).toBe(2);
    expect((await run(['memory', 'clear', 'open', '--yes'])).out).toBe('open is cleared.\n');
    expect((await run(['memory', 'show', 'nowhere'])).err).toContain('There is no memory nowhere');
  });

  it('C-53 C-66 the command line and the client set them, and give commands as anybody does', async () => {
    const run = ownerOf(daemon);
    const scope = ['--identity-name', 'Chef', '--memory-namespace', 'kitchen'];
    const created = await run(['channel', 'create', 'Kitchen', '--id', 'kitchen', ...scope]);
    expect(created).toMatchObject({ code: 0, out: 'kitchen\n', err: '' });
    const odd = await run(['channel', 'update', 'kitchen', '--memory-mode', 'sealed']);
    expect(odd.out).toMatch(/\n +memory +channel:kitchen \(metadata-only\)\n/);
    expect(odd.err).toContain('warning: The memory mode "sealed" is not known');
    const updated = await jsonOf<Channel>(
      run(['channel', 'update', 'kitchen', '--clear-memory', '--identity-id', 'c', '--json']),
    );
    expect(updated.identity).toEqual({ id: 'c', displayName: 'kitchen' });
    expect(await run(['send', 'kitchen', '/who'])).toMatchObject({
      code: 0,
      out: 'kitchen, memory channel:kitchen. Here: owner.\n',
    });
    const wrong = await run(['send', 'kitchen', '/sing']);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain('(unknown_command)');
    const client = createNodeClient({ baseUrl: daemon.url, token: daemon.token });
    const answer = await client.messages.post('kitchen', { text: '/cancel' });
    expect(answer.inputItems).toEqual([{ type: 'text', text: 'Nobody has the turn here.' }]);
    expect((await client.memories.list({ namespace: 'kitchen' })).memories).toEqual([]);
    client.close();
  });

  it('C-61 metadata of channels, members, messages and stimuli is kept as given, small and without unsafe keys', async () => {
    const metadata = { a: [1, { b: null }], 'any key': '部署', n: 1.5 };
    const testChannel = '/v1/channels/meta';
    const writes = [
      (given: object) => owner.patch(testChannel, { metadata: given }),
      (given: object) => owner.post(`${testChannel}/members`, { metadata: given }),
      (given: object) => owner.post(`${testChannel}/messages`, { text: 'x', metadata: given }),
      (given: object) =>
        owner.post(`${testChannel}/stimuli`, { kind: 'agent_idea', content: 'x', metadata: given }),
    ];
    expect(await create('meta', { metadata })).toMatchObject({ metadata });
    const largest = 'x'.repeat(LIMITS.metadataBytes - '{"a":""}'.length);
    for (const write of writes) {
      expect((await write(metadata)).json).toMatchObject({ metadata });
      expect((await write({ a: largest })).status).toBeLessThan(300);
      const tooLarge = await write({ a: `${largest}x` });
      expect([tooLarge.status, tooLarge.json.code]).toEqual([400, 'invalid_metadata']);
      for (const key of ['__proto__', 'constructor', 'prototype']) {
        const unsafe = await write(JSON.parse(`{"a":{"${key}":1}}`) as object);
        expect([unsafe.status, unsafe.json.code], key).toEqual([400, 'invalid_metadata']);
      }
    }
    const unsafe = { channelId: 'meta-2', title: 'x', metadata: { constructor: 1 } };
    expect((await owner.post('/v1/channels', unsafe)).json.code).toBe('invalid_metadata');
    await writes[0]?.(metadata);
    expect((await owner.get<Channel>(testChannel)).json.metadata).toEqual(metadata);
    const [message] = await read('meta');
    expect(message?.metadata).toEqual(metadata);
  });
});
