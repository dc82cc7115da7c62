import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message } from '@stoa/protocol';
import { sqliteBindingName } from '@stoa/store';
import { callerOf, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Installation } from '../installation.js';
import { ownerOf } from '../stoa-command.js';

const STARTS = 30;
const POSTS = 20;
const LOBBY = '/v1/channels/lobby/messages';

/** Run by scripts/test-node.mjs on a Node that has SQLite. */
describe('a Node with its own SQLite', () => {
  const home = mkdtempSync(join(tmpdir(), 'stoa-other-node-'));
  const copies = mkdtempSync(join(tmpdir(), 'stoa-other-node-copy-'));
  let daemon: TestDaemon;

  const begin = async (): Promise<void> => {
    daemon = await startDaemon({ home, env: { STOA_LOBBY: 'auto' } });
  };
  const owner = () => callerOf(daemon.url, daemon.token);

  /** Posts to the lobby and waits for what an agent answers there. */
  const converse = async (text: string): Promise<string> => {
    const posted = await owner().post<Message>(LOBBY, { text });
    expect(posted.status).toBe(201);
    const { messageId } = posted.json;
    const answer = await until('an agent answers', async () => {
      const path = `${LOBBY}?threadRootMessageId=${messageId}`;
      const { messages } = (await owner().get<{ messages: Message[] }>(path)).json;
      return messages.find(({ author }) => author.kind === 'agent');
    });
    return answer.author.displayName;
  };

  const traffic = async (name: string): Promise<void> => {
    const texts = Array.from({ length: POSTS }, (_, i) => `${name} ${String(i)}`);
    const path = '/v1/channels/traffic/messages';
    const answers = await Promise.all(texts.map((text) => owner().post(path, { text })));
    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 201));
  };

  beforeAll(begin);
  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(copies, { recursive: true, force: true });
  });

  it('OP-2 uses it and loads no native SQLite, without a warning', async () => {
    expect(sqliteBindingName()).toBe('node:sqlite');
    const doctor = await ownerOf(daemon)(['doctor']);
    expect(doctor.out).toMatch(/SQLite \d+\.\d+\.\d+ \(node:sqlite\)/);
    expect(doctor.err).toBe('');
    if (process.platform === 'linux') {
      const loaded = readFileSync(`/proc/${String(daemon.pid)}/maps`, 'utf8');
      expect(loaded).not.toContain('better_sqlite3');
    }
    expect(daemon.output().stderr).not.toMatch(/Experimental|Warning/);
  });

  it('OP-2 holds a conversation, finds it again, and copies it', async () => {
    expect(await converse('hello')).toBe('Host');
    const found = await until('search finds it', async () => {
      const { json } = await owner().get<{ hits: unknown[] }>('/v1/search?query=hello');
      return json.hits.length > 0 ? json.hits : undefined;
    });
    expect(found.length).toBeGreaterThan(0);
    const copy = join(copies, 'copy');
    const made = await ownerOf(daemon)(['backup', copy]);
    expect(made.code).toBe(0);
    const restored = await startDaemon({ home: copy });
    const there = callerOf(restored.url, restored.token);
    expect((await there.post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
    expect(await restored.stop()).toBe(0);
  });

  it(`OP-1 ${String(STARTS)} starts with traffic, none of which aborts`, {
    timeout: 240_000,
  }, async () => {
    await owner().post('/v1/channels', { channelId: 'traffic', title: 'Traffic' });
    for (let i = 1; i <= STARTS; i++) {
      await traffic(`start ${String(i)}`);
      if (i % 10 === 0) await converse('hello again');
      expect(await daemon.stop(), daemon.output().stderr).toBe(0);
      await begin();
    }
    const { json } = await owner().get<{ messageCount: number }>('/v1/channels/traffic');
    expect(json.messageCount).toBe(STARTS * POSTS);
    expect((await owner().post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
  });

  it('OP-2 the installation compiles nothing and leaves better-sqlite3 out', async () => {
    const installation = new Installation('process.exit(1)');
    try {
      expect(await installation.run()).toMatchObject({ code: 0 });
      expect(readFileSync(installation.calls, 'utf8').split('\n')[0]).toBe('ci');
      expect(readFileSync(installation.calls, 'utf8')).not.toContain('better-sqlite3');
      expect(installation.has('node_modules/better-sqlite3')).toBe(false);
    } finally {
      installation.remove();
    }
  });
});
