import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Channel, Message, Session, SessionEvent, Stamped, Status } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  DAEMON_ENGINES,
  type DaemonEngine,
  type DaemonWithPeople,
  LiveSocket,
  listMessages,
  newChannel,
  postMessage,
  refusalOf,
  startDaemon,
  startWithPeople,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const postgres = DAEMON_ENGINES.find(({ name }) => name === 'postgres') as DaemonEngine;

const DISK_MB = 12;
const BALLAST_MB = 6;
const TOKEN = `stoa_owner_${'t'.repeat(43)}`;

/**
 * Runs the daemon with a small file system of its own over the data directory. It is there for that
 * process only, and goes with it. The token is brought along, since we cannot look inside.
 */
const smallDisk = (home: string): string[] => [
  'unshare',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o size=${String(DISK_MB)}m,mode=0700 stoa "$0" &&
   printf '%s\\n' '${TOKEN}' >"$0/token" &&
   head -c ${String(BALLAST_MB * 1024 * 1024)} /dev/zero >"$0/ballast" &&
   exec "$@"`,
  home,
];

const attempt = spawnSync(
  'unshare',
  ['--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'stoa', '/mnt'],
  { encoding: 'utf8' },
);
const impossible =
  attempt.status === 0
    ? undefined
    : `no file system can be mounted here: ${attempt.error ? attempt.error.message : attempt.stderr}`;

/** Takes all the channel that is left. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4_096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}

interface Disk {
  fill(): void | Promise<void>;
  free(): void | Promise<void>;
}

/** A run is suspended while its store is full, which is reported once, and continues when there is space. */
async function expectSuspension(daemon: TestDaemon, disk: Disk): Promise<void> {
  const owner = callerOf(daemon.url, daemon.token);
  const steps = 80;
  const script = `turns:
  - steps:
      - repeat: { times: ${String(steps)}, steps: [{ say: '${'y'.repeat(3_000)}', wait: 20 }] }
      - say: All written.`;
  await owner.put('/v1/agents/talker', { driver: { kind: 'script', script } });
  const made = await owner.post<Session>('/v1/sessions', { agentId: 'talker' });
  const { sessionId } = made.json;
  await owner.post(`/v1/sessions/${sessionId}/inbox`, { text: 'go' });
  const eventsOf = async (type: string): Promise<Stamped<SessionEvent>[]> => {
    const { json } = await owner.get<{ events: Stamped<SessionEvent>[] }>(
      `/v1/topics/session:${sessionId}/events?limit=200&after=0`,
    );
    return json.events.filter((event) => event.type === type);
  };
  await until('it is at work', async () => (await eventsOf('model_message')).length > 2);
  await disk.fill();
  const warned = await until('it is suspended', async () => {
    const { json } = await owner.get<Status>('/v1/status');
    return json.warnings.find((text) => text.includes('the store is full'));
  });
  expect(warned).toContain('1 writes of runs wait');
  const written = (await eventsOf('model_message')).length;
  expect(written).toBeLessThan(steps);
  await delay(1_500);
  expect(await eventsOf('model_message')).toHaveLength(written);
  await disk.free();
  await until('it has ended', async () => (await eventsOf('completed')).length > 0);
  expect(await eventsOf('model_message')).toHaveLength(steps + 1);
  expect(await eventsOf('resumed')).toEqual([]);
  const notes = (await eventsOf('note')).map(({ data }) => (data as { code: string }).code);
  expect(notes).toEqual(['store_wait']);
  const { stdout, stderr } = daemon.output();
  expect((stdout + stderr).split('runs are suspended')).toHaveLength(2);
  expect((await owner.get<Status>('/v1/status')).json.warnings.join()).not.toContain('is full');
}

describe('a disk that is full', () => {
  let home: string;
  let daemon: TestDaemon;
  let owner: Caller;

  beforeAll(async () => {
    if (impossible !== undefined) return;
    home = mkdtempSync(join(tmpdir(), 'stoa-test-'));
    writeFileSync(join(home, 'token'), TOKEN);
    daemon = await startDaemon({ home, wrapper: smallDisk(home) });
    owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'lobby', title: 'Lobby' });
  });
  afterAll(async () => {
    if (impossible !== undefined) return;
    await daemon.cleanUp();
    rmSync(home, { recursive: true, force: true });
  });

  /** Inside the file system that only the daemon sees. */
  const inside = (file: string): string => join('/proc', String(daemon.pid), 'root', home, file);

  it('F-11 a write gets storage_full, reads go on, and writes work again when there is room', async ({
    skip,
  }) => {
    if (impossible !== undefined) skip(impossible);
    const reader = await LiveSocket.open(daemon.url, daemon);
    await reader.subscribe('channel:lobby', 0);
    const acknowledged: string[] = [];
    const text = 'x'.repeat(50_000);
    const refused = await until(
      'the disk is full',
      async () => {
        const answers = await Promise.all(
          Array.from({ length: 4 }, () =>
            owner.post<Message>('/v1/channels/lobby/messages', { text }),
          ),
        );
        for (const { status, json } of answers)
          if (status === 201) acknowledged.push(json.messageId);
        return answers.find(({ status }) => status !== 201);
      },
      { timeoutMs: 60_000 },
    );
    expect(refused.status).toBe(507);
    expect(refused.json).toMatchObject({ code: 'storage_full', status: 507 });
    expect(acknowledged.length).toBeGreaterThan(10);

    // Everything acknowledged is there, and can be read, live and from the log.
    const channel = await owner.get<Channel>('/v1/channels/lobby');
    expect(channel.json).toMatchObject({
      messageCount: acknowledged.length,
      headSeq: acknowledged.length + 2,
    });
    expect(
      (await owner.get(`/v1/channels/lobby/messages/${acknowledged.at(-1) ?? ''}`)).status,
    ).toBe(200);
    expect((await owner.get('/v1/status')).status).toBe(200);
    const found = await owner.get<{ hits: unknown[] }>('/v1/search?query=xxxx');
    expect(found.status).toBe(200);
    expect(found.json.hits).not.toEqual([]);
    await until(
      'the reader has all of it',
      () => reader.events().length === acknowledged.length + 2,
    );
    const file = await owner.post('/v1/assets', undefined, {
      raw: Buffer.alloc(4 * 1024 * 1024, 7),
    });
    expect(file.status).toBe(507);
    expect(file.json).toMatchObject({ code: 'storage_full' });

    const copy = await owner.post('/v1/backups', {});
    expect(copy.status).toBe(507);
    expect(copy.json).toMatchObject({ code: 'storage_full' });

    unlinkSync(inside('ballast'));
    const again = await owner.post<Message>('/v1/channels/lobby/messages', { text: 'room again' });
    expect(again.status).toBe(201);
    await until('the reader has it', () => reader.events().length === acknowledged.length + 3);
    expect(reader.events().at(-1)).toMatchObject({
      seq: acknowledged.length + 3,
      type: 'message_posted',
    });
    expect((await owner.post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
    await reader.close();
  });

  it('OP-25 a run is suspended, which is reported once, and continues when there is space again', async ({
    skip,
  }) => {
    if (impossible !== undefined) skip(impossible);
    await expectSuspension(daemon, {
      fill: () => {
        fill(inside('filler'));
      },
      free: () => {
        unlinkSync(inside('filler'));
      },
    });
  });

  it('F-11 the search finds what was posted after there was space again', async ({ skip }) => {
    if (impossible !== undefined) skip(impossible);
    await owner.post('/v1/channels/lobby/messages', { text: 'findable' });
    await until('it is found', async () => {
      const { json } = await owner.get<{ hits: unknown[] }>('/v1/search?query=findable');
      return json.hits.length === 1;
    });
    expect(statSync(inside('stoa.db')).size).toBeGreaterThan(0);
    expect(await daemon.stop()).toBe(0);
  });
});

describe('a PostgreSQL whose disk is full', () => {
  let people: DaemonWithPeople;

  beforeAll(async () => {
    people = await startWithPeople(postgres);
    await newChannel('lobby', people.owner, people.ada);
  });
  afterAll(() => people.directory.discard());

  const disk: Disk = {
    /** What the server says when a table cannot grow. */
    async fill() {
      await people.directory.query(`CREATE OR REPLACE FUNCTION "noRoom"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
        END $$`);
      await people.directory.query(`CREATE TRIGGER "noRoom" BEFORE INSERT ON "events"
        FOR EACH ROW EXECUTE FUNCTION "noRoom"()`);
    },
    async free() {
      await people.directory.query('DROP TRIGGER "noRoom" ON "events"');
    },
  };

  it('OP-25 a run is suspended, which is reported once, and continues when there is space again', async () => {
    await expectSuspension(people.daemon, disk);
  });

  it('F-11 a write gets storage_full, reads go on, and writes work again when there is room', async () => {
    const { daemon, owner, ada } = people;
    const messages = '/v1/channels/lobby/messages';
    const first = await postMessage(ada, messages, { text: 'while there was room' });
    const reader = await LiveSocket.open(daemon.url, daemon);
    await reader.subscribe('channel:lobby', 0);

    await disk.fill();
    const refused = await Promise.all(
      Array.from({ length: 4 }, () => ada.post(messages, { text: 'too much' })),
    );
    expect(refused.map(refusalOf)).toEqual(Array(4).fill([507, 'storage_full']));

    expect((await listMessages(owner, messages)).messages).toEqual([first]);
    expect((await owner.get('/v1/search?query=room')).json).toMatchObject({
      hits: [{ messageId: first.messageId }],
    });
    expect((await owner.get('/v1/status')).status).toBe(200);

    await disk.free();
    const again = await postMessage(ada, messages, { text: 'room again' });
    expect(again.seq).toBe(first.seq + 1);
    await until('the reader has both', () => reader.events().at(-1)?.seq === again.seq);
    expect(reader.events().map(({ seq }) => seq)).toEqual(
      Array.from({ length: again.seq }, (_, i) => i + 1),
    );
    await reader.close();
  });
});
