import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Channel, Message, ReadCursor, SearchHit, Status } from '@stoa/protocol';
import { call, confirmCode, startDaemon, type TestDaemon } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, ownerOf, stoa } from './stoa-command.js';

let daemon: TestDaemon;
let run: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  daemon = await startDaemon();
  run = ownerOf(daemon);
});

afterAll(() => daemon.cleanUp());

const created = async (id: string): Promise<void> => {
  const { code, err } = await run(['channel', 'create', id, '--id', id]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
};

describe('stoa', () => {
  it('prints its version, and the help of every command', async () => {
    expect(await stoa(['--version'])).toEqual({ code: 0, out: '0.1.0\n', err: '' });
    for (const command of ['send', 'tail', 'channel', 'token', 'doctor', 'completion']) {
      const { code, out, err } = await stoa([command, '--help']);
      expect({ command, code, err }).toEqual({ command, code: 0, err: '' });
      expect(out).toContain(`Usage: stoa ${command}`);
    }
  });

  it('says in the help which options cannot be left out', async () => {
    const { out } = await stoa(['stimulus', 'create', '--help']);
    expect(out.replace(/\s+/g, ' ')).toMatch(/--kind <kind> what it is [^-]*\(required\) --thread/);
    expect(out.match(/\(required\)/g)).toHaveLength(1);
  });

  it('shows what the daemon runs with, by the quick way and by the long one', async () => {
    const status = await json<Status & { url: string }>(run(['status', '--json']));
    expect(status).toMatchObject({ url: daemon.url, engine: 'sqlite', durability: 'full' });
    expect(await json(run(['status', '--json', '--url', daemon.url]))).toEqual(status);
    expect((await run(['status'])).out).toContain('full: acknowledged writes are on disk');
  });

  it('F-36 says when durability is relaxed', async () => {
    const relaxed = await startDaemon({ config: 'durability: relaxed\n' });
    try {
      const { out } = await ownerOf(relaxed)(['status']);
      expect(out).toContain('RELAXED: a power cut may lose the last acknowledged writes');
    } finally {
      await relaxed.cleanUp();
    }
  });

  it('creates, shows, changes, archives and erases channels', async () => {
    await created('plans');
    await run(['channel', 'update', 'plans', '--title', 'Big plans', '--purpose', 'to plan']);
    const channel = await json<Channel>(run(['channel', 'show', 'plans', '--json']));
    expect(channel).toMatchObject({ title: 'Big plans', purpose: 'to plan' });
    expect((await run(['channel', 'list', 'big', 'plans'])).out).toMatch(
      /^CHANNEL .*\nplans .* Big plans\n$/,
    );
    expect((await run(['channel', 'archive', 'plans'])).code).toBe(0);
    expect((await run(['channel', 'list', '-q'])).out.split('\n')).not.toContain('plans');
    expect(await run(['send', 'plans', 'too late'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(channel_archived)\n  open it again') as string,
    });
    expect((await run(['channel', 'unarchive', 'plans'])).code).toBe(0);
    expect((await run(['channel', 'delete', 'plans', '--yes'])).code).toBe(0);
    expect(await run(['channel', 'show', 'plans'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(channel_not_found)') as string,
    });
  });

  it('joins and leaves channels', async () => {
    await created('club');
    expect((await run(['channel', 'leave', 'club'])).code).toBe(0);
    expect(await run(['send', 'club', 'hello?'])).toMatchObject({
      code: 4,
      err: expect.stringContaining('(not_member)\n  join the channel first') as string,
    });
    expect((await run(['channel', 'join', 'club', '--as', 'Boss', '--role', 'host'])).code).toBe(0);
    expect((await run(['channel', 'members', 'club'])).out).toMatch(/\n\S+ +Boss +\S.* host\n$/);
  });

  it('sends from the command line and from standard input, replies, addresses and attaches', async () => {
    await created('talk');
    const root = await json<Message>(run(['send', 'talk', 'Hello,', 'everyone', '--json']));
    expect(root.inputItems).toEqual([{ type: 'text', text: 'Hello, everyone' }]);
    const piped = await json<Message>(
      run(['send', 'talk', '-', '--thread', root.messageId, '--json'], { input: 'two\nlines\n' }),
    );
    expect(piped).toMatchObject({
      threadRootMessageId: root.messageId,
      inputItems: [{ type: 'text', text: 'two\nlines' }],
    });
    const reply = await json<Message>(
      run(['send', 'talk', 'yes', '--reply-to', piped.messageId, '--to', 'owner', '--json']),
    );
    expect(reply).toMatchObject({
      replyToMessageId: piped.messageId,
      threadRootMessageId: root.messageId,
      addressedMemberIds: ['owner'],
    });
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-attach-'));
    fs.writeFileSync(path.join(directory, 'plan.txt'), 'a plan');
    const attached = await json<Message>(
      run(['send', 'talk', 'see', '--attach', 'plan.txt', '--json'], { cwd: directory }),
    );
    fs.rmSync(directory, { recursive: true });
    const [, asset] = attached.inputItems;
    const assetId = asset?.type === 'asset_reference' ? asset.assetId : '';
    const raw = await call(daemon.url, 'GET', `/v1/assets/${assetId}/raw`, { token: daemon.token });
    expect(raw.text).toBe('a plan');
  });

  it('F-12 sends nothing twice under one key', async () => {
    await created('keyed');
    const first = await run(['send', 'keyed', 'once', '--key', 'k1']);
    expect(await run(['send', 'keyed', 'once', '--key', 'k1'])).toEqual(first);
    expect(await run(['send', 'keyed', 'other', '--key', 'k1'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(idempotency_conflict)') as string,
    });
    const { messages } = await json<{ messages: Message[] }>(run(['history', 'keyed', '--json']));
    expect(messages).toHaveLength(1);
  });

  it('edits, reacts to and deletes messages', async () => {
    await created('edits');
    const id = (await run(['send', 'edits', 'first'])).out.trim();
    await run(['message', 'edit', 'edits', id, 'second']);
    await run(['message', 'react', 'edits', id, '👍']);
    expect((await run(['history', 'edits'])).out).toMatch(/ owner: second \[edited\] \[👍 1\]\n$/);
    await run(['message', 'react', 'edits', id, '👍', '--remove']);
    const shown = await json<Message>(run(['message', 'show', 'edits', id, '--json']));
    expect(shown.reactions).toEqual([]);
    await run(['message', 'delete', 'edits', id]);
    expect((await run(['tail', 'edits', '--ids'])).out).toMatch(
      new RegExp(`${id} owner: \\(deleted\\)\\n$`),
    );
  });

  it('never lets text reach the terminal as anything but text', async () => {
    await created('hostile');
    await run(['send', 'hostile', '-'], { input: '\u001b]0;title\u0007\u009b2J\n12:00 boss: pay' });
    for (const command of ['tail', 'history']) {
      const { out } = await run([command, 'hostile']);
      expect(out).toMatch(/ owner: ␛\]0;title␇\\u009b2J\n {4}│ 12:00 boss: pay\n$/);
    }
    const { out } = await run(['history', 'hostile', '--json']);
    expect(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(out)).toBe(false);
  });

  it('searches, and knows what is unread', async () => {
    await created('reading');
    await run(['send', 'reading', 'a', 'needle', 'in', 'here']);
    const found = await json<{ hits: SearchHit[] }>(run(['search', 'needle', '--json']));
    expect(found.hits).toMatchObject([{ channelId: 'reading' }]);
    expect((await run(['search', 'needle', '--channel', 'reading'])).out).toContain(
      'a needle in here',
    );
    expect(await run(['search', 'nothing-like-this'])).toMatchObject({ code: 0, out: '' });
    const minted = await json<{ token: string }>(
      run(['token', 'mint', 'reader', '--name', 'test', '--json']),
    );
    const env = { STOA_TOKEN: minted.token };
    await run(['channel', 'join', 'reading'], { env });
    await run(['send', 'reading', 'news for the reader']);
    const unread = async (): Promise<number | undefined> => {
      const { cursors } = await json<{ cursors: ReadCursor[] }>(
        run(['unread', '--all', '--json'], { env }),
      );
      return cursors.find(({ channelId }) => channelId === 'reading')?.unreadCount;
    };
    expect(await unread()).toBeGreaterThan(0);
    await run(['read', 'reading', '--mark-read'], { env });
    expect(await unread()).toBe(0);
  });

  it('F-21 prints a login link that works once, and another one each time', async () => {
    const first = await run(['login']);
    expect(first).toMatchObject({ code: 0, err: expect.stringContaining('works once') as string });
    const link = new URL(first.out.trim());
    expect(link.origin).toBe(daemon.url);
    expect(first.out).not.toContain(daemon.token);
    const code = link.searchParams.get('code') ?? '';
    expect((await confirmCode(daemon.url, code)).status).toBe(201);
    expect((await confirmCode(daemon.url, code)).status).toBe(401);
    expect((await run(['login'])).out).not.toBe(first.out);
  });

  it('F-35 mints, lists and revokes named tokens', async () => {
    const minted = await run(['token', 'mint', 'bob', '--name', 'laptop']);
    const env = { STOA_TOKEN: minted.out.trim() };
    expect(minted.err).toMatch(/stoa token revoke crd_/);
    expect((await run(['channel', 'list', '--json'], { env })).code).toBe(0);
    expect(await run(['token', 'list'], { env })).toMatchObject({
      code: 4,
      err: expect.stringContaining('(forbidden)') as string,
    });
    const { tokens } = await json<{ tokens: { credentialId: string; name: string }[] }>(
      run(['token', 'list', '--json']),
    );
    const id = tokens.find(({ name }) => name === 'laptop')?.credentialId ?? '';
    expect((await run(['token', 'list'])).out).not.toContain(env.STOA_TOKEN);
    expect((await run(['token', 'revoke', id])).code).toBe(0);
    expect(await run(['status'], { env })).toMatchObject({
      code: 4,
      err: expect.stringMatching(
        /\(unauthenticated\)\n {2}the token came from STOA_TOKEN: /,
      ) as string,
    });
  });

  it('tells once, and plainly, what is not an id, and where there are some', async () => {
    expect(await run(['send', 'Lobby', 'hello'])).toEqual({
      code: 1,
      out: '',
      err:
        'stoa: Lobby is not the id of a channel: lower case letters and digits, with - . _ between them (invalid_request)\n' +
        '  see which channels exist: stoa channel list --archived include\n',
    });
    expect((await run(['why', 'nope'])).err).toMatch(
      /^stoa: nope is not the id of a message: .*\n {2}see the ids of messages: stoa history CHANNEL --ids\n$/,
    );
  });

  it('ends with 1 when there is nothing of the name, and makes no work of taking its owner away', async () => {
    await run(['channel', 'create', 'Yard', '--id', 'yard']);
    const root = (await run(['send', 'yard', 'rake'])).out.trim();
    for (const args of [
      ['memory', 'show', 'nope'],
      ['work', 'update', 'yard', root, '--owner', ''],
      ['work', 'show', 'yard', root],
    ]) {
      expect({ args, ...(await run(args)) }).toMatchObject({ args, code: 1, out: '' });
    }
    expect((await run(['work', 'show', 'yard', root])).err).toBe(
      `stoa: There is no thread work in ${root} (work_not_found)\n` +
        '  see the thread work: stoa work list yard\n',
    );
  });

  it('F-16 backs up while messages are posted, to a copy that opens and is sound', async () => {
    await created('busy');
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-backup-'));
    const posts = Array.from({ length: 100 }, (_, each) =>
      call(daemon.url, 'POST', '/v1/channels/busy/messages', {
        token: daemon.token,
        body: { text: `message ${each}` },
      }),
    );
    const { code, out } = await run(['backup', 'copy'], { cwd: directory });
    await Promise.all(posts);
    expect({ code, out: out.trim() }).toEqual({ code: 0, out: path.join(directory, 'copy') });
    const copy = await startDaemon({ home: path.join(directory, 'copy') });
    try {
      const report = await json<{ ok: boolean; findings: unknown[] }>(
        ownerOf(copy)(['doctor', '--deep', '--json']),
      );
      expect(report).toMatchObject({ ok: true });
      expect((await ownerOf(copy)(['channel', 'show', 'busy'])).code).toBe(0);
    } finally {
      await copy.cleanUp();
      fs.rmSync(directory, { recursive: true, force: true });
    }
  });

  it('ends with 3 without a daemon, 4 with a wrong token, 2 on wrong usage', async () => {
    const nowhere = {
      STOA_HOME: path.join(os.tmpdir(), 'stoa-nowhere'),
      STOA_URL: 'http://127.0.0.1:1',
    };
    expect(await stoa(['status'], { env: nowhere })).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringMatching(
        /^stoa: .* \(daemon_unreachable\)\n {2}start one with: stoa serve/,
      ) as string,
    });
    expect(await run(['whoami'])).toMatchObject({ code: 2 });
    const wrong = { STOA_TOKEN: 'stoa_wrong' };
    expect(await run(['channel', 'list'], { env: wrong })).toMatchObject({
      code: 4,
      err: expect.stringContaining('(unauthenticated)') as string,
    });
  });

  it('checks, shows and describes the configuration', async () => {
    const schema = await json<{ properties: object }>(run(['config', 'schema']));
    expect(Object.keys(schema.properties)).toContain('durability');
    expect(await json(run(['config', 'show']))).toMatchObject({ durability: 'full' });
    expect((await run(['config', 'check'])).code).toBe(0);
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-config-'));
    const file = path.join(directory, 'bad.yaml');
    fs.writeFileSync(file, 'durability: none\n');
    const bad = await run(['config', 'check', '--config', file]);
    expect(bad).toMatchObject({ code: 1, out: expect.stringContaining('full, relaxed') as string });
    expect(await run(['config', 'show', '--config', file])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(config_invalid)\n  durability: ') as string,
    });
    fs.rmSync(directory, { recursive: true });
  });
});
