import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@stoa/protocol';
import type { EventRow } from '@stoa/store';
import { violated } from './failure.js';
import { channelView, membersView, messageView, unreadView } from './model/views.js';
import { describe } from './operation.js';
import type { World } from './world.js';

/** A page of catching up is handed to a reader before it is asked whether it keeps up. */
const LARGEST_PAGE = 200;

/** After every step: every log is dense, what is new in it is what was decided, and readers have theirs. */
export function checkStep(world: World): void {
  world.assertUnviolated();
  const { disk } = world;
  if (disk.db.inTransaction) violated('a transaction was left open');
  const rows = topicEnds(disk);
  for (const ends of rows) {
    const { name, head, floor, kept } = ends;
    const topic = world.model.state.topics.get(name);
    if (topic?.events.length !== head || topic.floor !== floor) {
      violated(`${name} is not where it has to be`, { head, floor, model: topic });
    }
    if (kept !== head - floor) violated(`the log of ${name} has a hole`, { head, floor, kept });
    checkNew(world, ends);
  }
  if (rows.length !== world.model.state.topics.size) violated('topics are missing', { rows });
  for (const reader of world.readers) reader.check(world.model.state, LARGEST_PAGE);
}

interface TopicEnds {
  readonly id: number;
  readonly name: string;
  readonly head: number;
  readonly floor: number;
  /** How many events there are above the floor. */
  readonly kept: number;
}

const read = new WeakMap<object, { readonly changes: number; readonly rows: TopicEnds[] }>();

/** Read again when something was written since; most steps write nothing. */
function topicEnds(disk: World['disk']): TopicEnds[] {
  const [now] = disk.rows<{ changes: number }>('SELECT total_changes() AS "changes"');
  const changes = now?.changes ?? -1;
  const known = read.get(disk.db);
  if (known?.changes === changes) return known.rows;
  const rows = disk.rows<TopicEnds>(
    `SELECT "id", "name", "floor", coalesce(max("seq"), "floor") AS "head", count("seq") AS "kept"
     FROM "topics" LEFT JOIN "events" ON "topicId" = "id" AND "seq" > "floor" GROUP BY "id"`,
  );
  read.set(disk.db, { changes, rows });
  return rows;
}

function checkNew({ disk, model, compared }: World, { id, name, head, floor }: TopicEnds): void {
  const last = Math.max(compared.get(name) ?? 0, floor);
  if (head <= last) return;
  const rows = disk.rows<EventRow>(
    `SELECT "seq", "at", "actor", "type", "body" FROM "events"
     WHERE "topicId" = ? AND "seq" > ? ORDER BY "seq"`,
    id,
    last,
  );
  const found = rows.map((row) => eventOf(name, row));
  const expected = model.state.topics.get(name)?.events.slice(last);
  if (!isDeepStrictEqual(found, expected)) {
    violated(`what was added to the log of ${name} is wrong`, { found, expected });
  }
  compared.set(name, head);
}

const eventOf = (topic: string, { body, ...row }: EventRow): unknown => ({
  topic,
  ...row,
  data: JSON.parse(body) as unknown,
});

/** After a crash, and at the end: everything that is stored. */
export async function checkStored(world: World): Promise<void> {
  const [daemon] = world.daemons;
  if (!daemon) throw new Error('there is no daemon to ask');
  const isPaced = daemon.isPaced;
  daemon.isPaced = false;
  const report = await daemon.core.checkIntegrity();
  if (!report.ok)
    violated('the tables are not a replay of the logs', { problems: report.problems });
  checkLogs(world);
  checkRecords(world);
  checkUse(world);
  world.ledger.check(world.disk);
  daemon.isPaced = isPaced;
}

/** Every log is dense from its floor to its head, and holds what was decided. */
function checkLogs({ disk, model }: World): void {
  const rows = disk.rows<EventRow & { name: string }>(
    `SELECT t."name", e."seq", e."at", e."actor", e."type", e."body"
     FROM "events" e JOIN "topics" t ON t."id" = e."topicId" WHERE e."seq" > t."floor" ORDER BY e."seq"`,
  );
  const found = new Map<string, unknown[]>();
  for (const { name: topic, ...row } of rows) {
    const entries = found.get(topic) ?? [];
    found.set(topic, entries);
    entries.push(eventOf(topic, row));
  }
  for (const [topic, { events, floor }] of model.state.topics) {
    if (!isDeepStrictEqual(found.get(topic) ?? [], events.slice(floor))) {
      violated(`the log of ${topic} is wrong`, {
        found: found.get(topic),
        expected: events.slice(floor),
      });
    }
  }
}

/** What is kept beside the logs is what has to be kept. */
function checkRecords({ disk, model }: World): void {
  const { keys, credentials, assets } = model.state;
  const kept: [what: string, sql: string, expected: Iterable<string>][] = [
    ['keys', `SELECT "actorId" || ' ' || "key" AS "id" FROM "idempotencyKeys"`, keys.keys()],
    ['credentials', 'SELECT "credentialId" AS "id" FROM "credentials"', credentials.keys()],
    ['assets', 'SELECT "assetId" AS "id" FROM "assets"', assets.keys()],
  ];
  for (const [what, sql, expected] of kept) {
    const found = disk
      .rows<{ id: string }>(sql)
      .map(({ id }) => id)
      .sort();
    if (!isDeepStrictEqual(found, [...expected].sort()))
      violated(`the ${what} are wrong`, { found });
  }
}

/** An asset records whether something refers to it; a wrong record would delete it too early or never. */
function checkUse({ disk }: World): void {
  const wrong = disk.rows(
    `SELECT "assetId", "unusedSince" FROM "assets" a WHERE ("unusedSince" IS NULL) <> (
       EXISTS (SELECT 1 FROM "pins" p WHERE p."assetId" = a."assetId")
       OR EXISTS (SELECT 1 FROM "attachments" u WHERE u."assetId" = a."assetId"))`,
  );
  if (wrong.length > 0) violated('assets do not know whether they are used', { wrong });
}

const OWNER: Principal = { kind: 'human', id: 'owner', owner: true, credentialId: 'check' };

/** At the end: everything that can be read. */
export async function checkViews(world: World): Promise<void> {
  const [daemon] = world.daemons;
  if (!daemon) throw new Error('there is no daemon to ask');
  daemon.isPaced = false;
  const { channels } = daemon.core;
  const { state } = world.model;
  const expect = (what: string, found: unknown, expected: unknown): void => {
    if (!isDeepStrictEqual(plain(found), expected))
      violated(`${what} are wrong`, { found, expected });
  };
  const sorted = [...state.channels.values()].sort((a, b) => (a.channelId < b.channelId ? -1 : 1));
  const page = await channels.list({ archived: 'include', limit: 200 });
  expect(
    'the channels',
    page.channels,
    sorted.map((channel) => channelView(state, channel)),
  );
  for (const channel of sorted) {
    const { channelId } = channel;
    const { messages } = await channels.messages(OWNER, channelId, { scope: 'all', limit: 200 });
    const expected = channel.messages.map((message) => messageView(channel, message));
    expect(`the messages of ${channelId}`, messages, expected);
    expect(
      `the members of ${channelId}`,
      await channels.members(OWNER, channelId),
      membersView(channel),
    );
  }
  for (const id of state.humans.keys()) {
    const person: Principal = { kind: 'human', id, owner: false, credentialId: 'check' };
    expect(`the cursors of ${id}`, await channels.unread(person), unreadView(state, id));
  }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** When nothing is under way any more: everybody has everything, and nothing was left behind. */
export function checkQuiet(world: World): void {
  const [call] = world.calls.keys();
  if (call) violated(`${describe(call.request)} was never answered`);
  if (world.sweeps.size > 0) violated('a sweep was never done');
  for (const reader of world.readers) {
    const head = world.model.state.topics.get(reader.topic)?.events.length ?? 0;
    if (reader.state === 'following' && reader.last !== head) {
      violated(`${reader.name} has ${reader.last} of ${head} events of ${reader.topic}`);
    }
    if (reader.state === 'connecting') violated(`${reader.name} was never answered`);
  }
  checkBytes(world);
  for (const reader of world.readers) reader.away();
  for (const { core, name } of world.daemons) {
    if (core.hub.topicCount > 0) violated(`${name} still feeds topics that nobody follows`);
  }
}

function checkBytes(world: World): void {
  for (const assetId of world.acknowledgedAssets) {
    const digest = world.model.state.assets.get(assetId)?.digest;
    if (digest !== undefined && !world.assetDisk.files.has(digest)) {
      violated(`the bytes of ${assetId} are gone`, { digest });
    }
  }
}
