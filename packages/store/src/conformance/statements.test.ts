import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineKind } from '@stoa/protocol';
import { STORE_ENGINES } from '@stoa/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import * as api from '../index.js';
import type { SqlText, Statement, Tx } from '../sql/statement.js';
import { oneByOne } from '../sql/together.js';
import { memoryTour } from './memory-tour.fixture.js';
import { observationTour } from './observation-tour.fixture.js';
import { projectTour } from './project-tour.fixture.js';
import { runtimeTour } from './runtime-tour.fixture.js';
import { stimulusTour } from './stimulus-tour.fixture.js';
import { taskTour } from './task-tour.fixture.js';
import { turnTour } from './turn-tour.fixture.js';

type Tour = readonly (readonly [string, () => Tx<unknown>])[];

/** The tours of nouns that have a folder of their own: `tour` in `tour.fixture.ts`. */
async function nounTours(): Promise<Tour> {
  const sources = dirname(import.meta.dirname);
  const files = readdirSync(sources).map((name) => join(sources, name, 'tour.fixture.ts'));
  const loaded = files.filter((file) => existsSync(file)).map((file) => import(file));
  return ((await Promise.all(loaded)) as { tour: Tour }[]).flatMap(({ tour: own }) => own);
}

const c1 = { topicId: 1 };
const m1 = { ...c1, messageId: 'msg_1' };
const reaction = { ...m1, emoji: '👍', actorId: 'human:bob' };
const page = { ...c1, limit: 10 };
const event = { ...c1, at: 10, type: 'message_posted', actor: 'human:ada' };
const asset = { mediaType: 'image/png', bytes: 70, name: null, createdBy: 'human:ada' };
const unused = (assetId: string, before = 99) => ({ assetId, before });
const credential = { kind: 'human_token', principalKind: 'human', principalId: 'ada' };
const code = (hash: string, expiresAt: number, credentialId: string | null) => ({
  hash,
  humanId: 'ada',
  credentialId,
  expiresAt,
});
const key = { actorId: 'human:ada', fingerprint: 'f', topicId: 1, seq: 1 };
const member = (memberId: string, joinedAt: number) => ({
  ...c1,
  memberId,
  memberKind: 'human_actor',
  actorId: `human:${memberId}`,
  displayName: memberId,
  role: null,
  joinedAt,
  metadata: '{}',
  settings: '{}',
});
const channel = (topicId: number, channelId: string, title: string) => ({
  topicId,
  channelId,
  title,
  description: null,
  purpose: 'Talk',
  createdBy: 'human:ada',
  at: 10,
  metadata: '{"a":1}',
  settings: '{"defaultParticipationMode":"always_listen"}',
});
const listed = { after: '', archived: 'exclude', pattern: '', limit: 10 };

/**
 * A day in the life of two channels, statement by statement, in an order in which each has something to do.
 * Names contain what sorts and folds differently from one database to the next.
 */
const tour: Tour = [
  ['insertTopic', () => api.insertTopic.first({ name: 'channel:b-1' })],
  ['insertTopic, another', () => api.insertTopic.first({ name: 'channel:b_0' })],
  ['insertTopic, of a human', () => api.insertTopic.changes({ name: 'human:ada' })],
  [
    'insertTopicWithId',
    () => api.insertTopicWithId.changes({ id: 9, name: 'human:Zoë', floor: 1 }),
  ],
  ['openTopicEnd', () => api.openTopicEnd.first({ name: 'channel:b-1' })],
  ['openTopicEnd, unknown', () => api.openTopicEnd.first({ name: 'channel:none' })],
  ['findTopic', () => api.findTopic.first({ name: 'human:ada' })],
  ['findTopicById', () => api.findTopicById.first({ id: 2 })],
  ['raiseFloor', () => api.raiseFloor.changes({ id: 3, floor: 2 })],
  ['raiseFloor, past the head', () => api.raiseFloor.changes({ id: 3, floor: 6 })],
  [
    'listOverlongTopics',
    () => api.listOverlongTopics.all({ prefix: 'human:', end: 'human;', keep: 2, limit: 9 }),
  ],
  ['listTopicsAfter', () => api.listTopicsAfter.all({ id: 1, limit: 9 })],
  [
    'insertEvent',
    () =>
      api.insertEvent.changes({ ...event, seq: 1, body: '{"text":"Zoë posted \\"hi\\" 漢字"}' }),
  ],
  [
    'insertEvent, a reply',
    () => api.insertEvent.changes({ ...event, seq: 2, body: '{"text":"reply"}' }),
  ],
  [
    'insertEvent, an edit',
    () => api.insertEvent.changes({ ...event, seq: 3, body: '{"text":"edited"}' }),
  ],
  ['findEvent', () => api.findEvent.first({ ...c1, seq: 1 })],
  ['findEvent, none', () => api.findEvent.first({ ...c1, seq: 7 })],
  ['listEventSizesAfter', () => api.listEventSizesAfter.all({ ...page, after: 0 })],
  ['listEventSizesBefore', () => api.listEventSizesBefore.all({ ...page, after: 0, before: 9 })],
  [
    'listEventsOfTypeBefore',
    () => api.listEventsOfTypeBefore.all({ ...page, type: 'note', after: 0, before: 9 }),
  ],
  ['listEventsAfter', () => api.listEventsAfter.all({ ...page, after: 1 })],
  ['insertChannel', () => api.insertChannel.changes(channel(1, 'b-1', 'ÄPFEL 100%'))],
  ['insertChannel, another', () => api.insertChannel.changes(channel(2, 'b_0', 'birnen'))],
  ['countMember', () => api.countMember.changes({ ...c1, change: 1, sessions: 1, at: 11 })],
  ['upsertMember', () => api.upsertMember.changes(member('ada', 11))],
  ['upsertMember, same time', () => api.upsertMember.changes(member('ab', 12))],
  ['upsertMember, same time again', () => api.upsertMember.changes(member('Bb', 12))],
  ['upsertMember, renamed', () => api.upsertMember.changes({ ...member('ada', 99), role: 'host' })],
  ['findMember', () => api.findMember.first({ ...c1, memberId: 'ada' })],
  ['findMemberByActor', () => api.findMemberByActor.first({ ...c1, actorId: 'human:ab' })],
  ['listMembers', () => api.listMembers.all(c1)],
  ['openChannel', () => api.openChannel.first({ channelId: 'b-1', actorId: 'human:ada' })],
  [
    'openChannel, not a member',
    () => api.openChannel.first({ channelId: 'b-1', actorId: 'human:x' }),
  ],
  ['lockChannel', () => api.lockChannel.first({ channelId: 'b-1', actorId: 'human:ada' })],
  ['lockChannel, unknown', () => api.lockChannel.first({ channelId: 'x', actorId: 'human:ada' })],
  ['findChannelFields', () => api.findChannelFields.first(c1)],
  ['findChannelSettings', () => api.findChannelSettings.first({ channelId: 'b-1' })],
  [
    'insertMessage',
    () =>
      api.insertMessage.changes({
        ...m1,
        seq: 1,
        rootMessageId: null,
        authorId: 'human:ada',
        at: 10,
      }),
  ],
  [
    'insertMessage, a reply',
    () =>
      api.insertMessage.changes({
        ...c1,
        messageId: 'msg_2',
        seq: 2,
        rootMessageId: 'msg_1',
        authorId: 'human:bob',
        at: 11,
      }),
  ],
  ['countReply', () => api.countReply.changes({ ...c1, rootMessageId: 'msg_1', at: 12 })],
  ['setMessageBody', () => api.setMessageBody.changes({ ...m1, seq: 3, at: 13 })],
  ['findMessageRow', () => api.findMessageRow.first(m1)],
  ['findMessage', () => api.findMessage.first(m1)],
  ['findMessageAfter', () => api.findMessageAfter.first({ topicId: m1.topicId, seq: 0 })],
  ['findChannelOfMessage', () => api.findChannelOfMessage.first({ messageId: 'msg_2' })],
  ['findChannelOfMessage, none', () => api.findChannelOfMessage.first({ messageId: 'msg_9' })],
  ['findMessageAt', () => api.findMessageAt.first({ ...c1, seq: 2 })],
  ...(['rows', 'sizes'] as const).flatMap((what) => [
    [`${what} before`, () => api.MESSAGE_PAGES.before[what].all({ ...page, seq: 9 })] as const,
    [`${what} after`, () => api.MESSAGE_PAGES.after[what].all({ ...page, seq: 0 })] as const,
    [`feed ${what} before`, () => api.FEED_PAGES.before[what].all({ ...page, seq: 9 })] as const,
    [`feed ${what} after`, () => api.FEED_PAGES.after[what].all({ ...page, seq: 0 })] as const,
    [
      `thread ${what} before`,
      () => api.THREAD_PAGES.before[what].all({ ...page, seq: 9, rootMessageId: 'msg_1' }),
    ] as const,
    [
      `thread ${what} after`,
      () => api.THREAD_PAGES.after[what].all({ ...page, seq: 0, rootMessageId: 'msg_1' }),
    ] as const,
  ]),
  ['countUnread', () => api.countUnread.first({ ...page, seq: 0, actorId: 'human:ada' })],
  ['insertReaction', () => api.insertReaction.changes({ ...reaction, seq: 2 })],
  [
    'insertReaction, another',
    () => api.insertReaction.changes({ ...reaction, emoji: '❤️', seq: 1 }),
  ],
  ['findReaction', () => api.findReaction.first(reaction)],
  ['listReactions', () => api.listReactions.all(m1)],
  ['countReactions', () => api.countReactions.first(m1)],
  [
    'insertAsset',
    () =>
      api.insertAsset.changes({
        ...asset,
        assetId: 'asset_1',
        digest: 'd1',
        createdAt: 10,
        unusedSince: 10,
      }),
  ],
  [
    'insertAsset, used',
    () =>
      api.insertAsset.changes({
        ...asset,
        assetId: 'asset_2',
        digest: 'd2',
        createdAt: 9,
        unusedSince: 9,
      }),
  ],
  [
    'insertAsset, unused',
    () =>
      api.insertAsset.changes({
        ...asset,
        assetId: 'asset_3',
        digest: 'd3',
        createdAt: 8,
        unusedSince: 8,
      }),
  ],
  ['findAsset', () => api.findAsset.first({ assetId: 'asset_1' })],
  ['holdAsset', () => api.holdAsset.first({ assetId: 'asset_1' })],
  ['findAssetByDigest', () => api.findAssetByDigest.first({ digest: 'd2' })],
  ['insertPin', () => api.insertPin.changes({ ...c1, assetId: 'asset_1', seq: 3 })],
  ['findPin', () => api.findPin.first({ ...c1, assetId: 'asset_1' })],
  ['listPins', () => api.listPins.all(c1)],
  ['insertAttachment', () => api.insertAttachment.changes({ ...m1, assetId: 'asset_2' })],
  ['insertAttachment, again', () => api.insertAttachment.changes({ ...m1, assetId: 'asset_2' })],
  ['listAttachments', () => api.listAttachments.all(m1)],
  ['findAttachment', () => api.findAttachment.first({ ...c1, assetId: 'asset_2' })],
  ['findAttachment, elsewhere', () => api.findAttachment.first({ topicId: 9, assetId: 'asset_2' })],
  ['deleteUnusedAsset, pinned', () => api.deleteUnusedAsset.changes(unused('asset_1'))],
  ['markAssetUsed', () => api.markAssetUsed.changes({ assetId: 'asset_2' })],
  ['markAssetUsed, again', () => api.markAssetUsed.changes({ assetId: 'asset_2' })],
  ['renewAsset', () => api.renewAsset.changes({ digest: 'd3', at: 12 })],
  ['renewAsset, of one in use', () => api.renewAsset.changes({ digest: 'd2', at: 12 })],
  ['releaseAsset, still pinned', () => api.releaseAsset.changes({ assetId: 'asset_1', at: 13 })],
  ['releaseAsset', () => api.releaseAsset.changes({ assetId: 'asset_3', at: 14 })],
  ['listUnusedAssets', () => api.listUnusedAssets.all({ before: 99, limit: 9 })],
  ['deleteUnusedAsset, attached', () => api.deleteUnusedAsset.changes(unused('asset_2'))],
  ['deleteUnusedAsset, too early', () => api.deleteUnusedAsset.changes(unused('asset_3', 14))],
  ['deleteUnusedAsset', () => api.deleteUnusedAsset.changes(unused('asset_3'))],
  ['findChannel', () => api.findChannel.first({ channelId: 'b-1' })],
  ['listChannels', () => api.listChannels.all(listed)],
  ['listChannelSizes', () => api.listChannelSizes.all(listed)],
  ['listChannels, after', () => api.listChannels.all({ ...listed, after: 'b-1' })],
  [
    'listChannels, matching a percent sign',
    () => api.listChannels.all({ ...listed, pattern: '%100\\%%' }),
  ],
  [
    'listChannels, matching an underscore',
    () => api.listChannels.all({ ...listed, pattern: '%b\\_%' }),
  ],
  ['listChannels, matching folded', () => api.listChannels.all({ ...listed, pattern: '%pfel%' })],
  [
    'listChannels, matching an umlaut',
    () => api.listChannels.all({ ...listed, pattern: '%äpfel%' }),
  ],
  [
    'updateChannel',
    () => api.updateChannel.changes({ ...channel(2, '', 'Birnen'), description: 'süß', paused: 1 }),
  ],
  [
    'setChannelArchived',
    () => api.setChannelArchived.changes({ topicId: 2, archivedAt: 20, at: 20 }),
  ],
  ['listChannels, archived only', () => api.listChannels.all({ ...listed, archived: 'only' })],
  ['listChannels, archived too', () => api.listChannels.all({ ...listed, archived: 'include' })],
  ['countChannels', () => api.countChannels.first({})],
  ['listHumans', () => api.listHumans.all({})],
  [
    'insertHuman',
    () =>
      api.insertHuman.changes({ humanId: 'ada', displayName: 'Ada', role: 'owner', createdAt: 1 }),
  ],
  ['findHuman', () => api.findHuman.first({ humanId: 'ada' })],
  [
    'insertCredential',
    () =>
      api.insertCredential.changes({
        ...credential,
        credentialId: 'cred_a-1',
        name: 'laptop',
        hash: 'h1',
        createdAt: 5,
        expiresAt: null,
      }),
  ],
  [
    'insertCredential, same time',
    () =>
      api.insertCredential.changes({
        ...credential,
        credentialId: 'cred_A_1',
        name: 'phone',
        hash: 'h2',
        createdAt: 5,
        expiresAt: 40,
      }),
  ],
  ['findTokenByHash', () => api.findTokenByHash.first({ hash: 'h1', now: 39 })],
  ['findTokenByHash, good', () => api.findTokenByHash.first({ hash: 'h2', now: 39 })],
  ['findTokenByHash, expired', () => api.findTokenByHash.first({ hash: 'h2', now: 40 })],
  [
    'listTokensBetween',
    () => api.listTokensBetween.all({ from: 'h', to: 'hg', now: 39, limit: 9 }),
  ],
  ['findBrowserLogin', () => api.findBrowserLogin.first({ credentialId: 'cred_a-1', now: 39 })],
  ['findCredential', () => api.findCredential.first({ credentialId: 'cred_a-1' })],
  ['listCredentials', () => api.listCredentials.all({ now: 39, limit: 9 })],
  ['listCredentials, active first', () => api.listCredentials.all({ now: 40, limit: 9 })],
  ['listExpiredCredentials', () => api.listExpiredCredentials.all({ now: 40, limit: 9 })],
  ['listBrowserLogins', () => api.listBrowserLogins.all({ humanId: 'ada', now: 39 })],
  ['revokeCredential', () => api.revokeCredential.changes({ credentialId: 'cred_a-1', at: 30 })],
  [
    'revokeCredential, again',
    () => api.revokeCredential.changes({ credentialId: 'cred_a-1', at: 31 }),
  ],
  ['findTokenByHash, revoked', () => api.findTokenByHash.first({ hash: 'h1', now: 39 })],
  ['listActiveCredentials', () => api.listActiveCredentials.all({ kind: 'human_token', now: 39 })],
  ['countActiveCredentials', () => api.countActiveCredentials.first({ now: 39 })],
  ['deleteRevokedCredential', () => api.deleteRevokedCredential.changes({ hash: 'h2' })],
  [
    'deleteCredentialsRevokedBefore',
    () => api.deleteCredentialsRevokedBefore.changes({ before: 31 }),
  ],
  ['insertLoginCode', () => api.insertLoginCode.changes(code('l1', 50, 'cred_a-1'))],
  ['insertLoginCode, another', () => api.insertLoginCode.changes(code('l2', 60, null))],
  [
    'insertLoginCode, after the clock went back',
    () => api.insertLoginCode.changes(code('l3', 40, null)),
  ],
  [
    'deleteOlderLoginCodes',
    () => api.deleteOlderLoginCodes.changes({ humanId: 'ada', hash: 'l3', others: 2 }),
  ],
  ['deleteLoginCodesOf', () => api.deleteLoginCodesOf.changes({ credentialId: 'cred_a-1' })],
  [
    'deleteOlderLoginCodes, all others',
    () => api.deleteOlderLoginCodes.changes({ humanId: 'ada', hash: 'l2', others: 0 }),
  ],
  ['findLoginCode', () => api.findLoginCode.first({ hash: 'l2', now: 59 })],
  ['findLoginCode, expired', () => api.findLoginCode.first({ hash: 'l2', now: 60 })],
  ['takeLoginCode', () => api.takeLoginCode.first({ hash: 'l2' })],
  ['takeLoginCode, again', () => api.takeLoginCode.first({ hash: 'l2' })],
  [
    'deleteLoginCodesExpiredBefore',
    () => api.deleteLoginCodesExpiredBefore.changes({ before: 61 }),
  ],
  ['moveCursor', () => api.moveCursor.changes({ humanId: 'ada', ...c1, readSeq: 2 })],
  ['moveCursor, backwards', () => api.moveCursor.changes({ humanId: 'ada', ...c1, readSeq: 1 })],
  ['findCursor', () => api.findCursor.first({ humanId: 'ada', ...c1 })],
  ['listCursors', () => api.listCursors.all({ humanId: 'ada', actorId: 'human:ada' })],
  ['insertIdempotencyKey', () => api.insertIdempotencyKey.changes({ ...key, key: 'k1', at: 10 })],
  [
    'insertIdempotencyKey, another',
    () => api.insertIdempotencyKey.changes({ ...key, key: 'k2', at: 20 }),
  ],
  ['findIdempotencyKey', () => api.findIdempotencyKey.first({ actorId: 'human:ada', key: 'k1' })],
  [
    'deleteIdempotencyKeysBefore',
    () => api.deleteIdempotencyKeysBefore.changes({ before: 15, limit: 9 }),
  ],
  ...runtimeTour,
  ...turnTour,
  ...stimulusTour,
  ...observationTour,
  ...memoryTour,
  ...projectTour,
  ...taskTour,
  ...(await nounTours()),
  ...[
    api.CHANNEL_TABLES,
    api.TURN_TABLES,
    api.STIMULUS_TABLES,
    api.WORK_TABLES,
    api.OBSERVATION_TABLES,
  ]
    .flatMap((tables) => Object.entries(tables))
    .map(([table, dump]) => [`dump of ${table}`, () => dump.all({ ...page, offset: 0 })] as const),
  ['setMessageDeleted', () => api.setMessageDeleted.changes({ ...c1, messageId: 'msg_2', at: 40 })],
  ['countUnread, deleted', () => api.countUnread.first({ ...page, seq: 0, actorId: 'human:ada' })],
  ['deleteReaction', () => api.deleteReaction.changes(reaction)],
  ['deletePin', () => api.deletePin.changes({ ...c1, assetId: 'asset_1' })],
  ['deleteAttachments', () => api.deleteAttachments.changes(m1)],
  ['deleteMember', () => api.deleteMember.changes({ ...c1, memberId: 'ab' })],
  ['deleteChannel', () => api.deleteChannel.changes({ topicId: 2 })],
  ['insertErasure', () => api.insertErasure.changes(c1)],
  ['insertErasure, again', () => api.insertErasure.changes(c1)],
  ['listErasures', () => api.listErasures.all({})],
  ['lockErasure', () => api.lockErasure.first(c1)],
  ['deleteErasure, too early', () => api.deleteErasure.changes(c1)],
  ...api.ERASE_CHUNKS.map(
    (chunk, i) => [`erase chunk ${String(i)}`, () => chunk.changes(page)] as const,
  ),
  ...api.ERASE_HOLDERS.flatMap(({ assets, erase }, i) => [
    [`assets held ${String(i)}`, () => assets.all(page)] as const,
    [`erase holders ${String(i)}`, () => erase.changes(page)] as const,
  ]),
  ['deleteErasure', () => api.deleteErasure.changes(c1)],
  ['deleteEventsUpTo', () => api.deleteEventsUpTo.changes({ ...c1, seq: 2, limit: 1 })],
];

/** Lets a transaction through and remembers which statements it used. */
function* watched(body: Tx<unknown>, used: Set<SqlText>): Tx<unknown> {
  const tx = oneByOne(body);
  let step = tx.next();
  while (!step.done) {
    used.add(step.value.text);
    step = tx.next(yield step.value);
  }
  return step.value;
}

const isStatement = (value: unknown): value is Statement<object, unknown> =>
  typeof value === 'object' && value !== null && 'text' in value && 'first' in value;

const inside = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null && !isStatement(value)
    ? Object.values(value)
    : [value];

/** Every statement the package offers, also those in lists. */
const statements = Object.entries(api).flatMap(([name, value]) => {
  const candidates: unknown[] = isStatement(value) ? [value] : Object.values(value).flatMap(inside);
  return candidates.filter(isStatement).map((found) => ({ name, text: found.text }));
});

describe('the statements of the store', () => {
  const used = new Set<SqlText>();
  const answers = { sqlite: {}, postgres: {} } as Record<EngineKind, Record<string, unknown>>;

  beforeAll(async () => {
    for (const engine of STORE_ENGINES) {
      const database = await engine.newDatabase();
      const store = await database.open();
      for (const [title, body] of tour) {
        const answer = await store.transact(() => watched(body(), used)).catch(String);
        answers[engine.name][title] = answer;
      }
      await store.close();
      await database.discard();
    }
  });

  it('F-17 are all used by the tour', () => {
    expect(statements.length).toBeGreaterThan(60);
    expect(statements.filter(({ text }) => !used.has(text)).map(({ name }) => name)).toEqual([]);
  });

  it('F-17 all succeed', () => {
    const failures = Object.values(answers).flatMap((given) =>
      Object.entries(given).filter(([, answer]) => typeof answer === 'string'),
    );
    expect(failures).toEqual([]);
  });

  it('F-17 return the same on both engines', () => {
    expect(Object.keys(answers.sqlite)).toHaveLength(tour.length);
    expect(answers.postgres).toEqual(answers.sqlite);
  });
});
