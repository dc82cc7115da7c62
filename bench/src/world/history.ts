import { join } from 'node:path';
import type { Core } from '@stoa/core';
import type { Principal } from '@stoa/protocol';
import { inTransaction, openSqlite } from '@stoa/store';

/** Threads of this many messages: a root and its replies. */
const THREAD = 10;
const CHANNELS = 10;
/** The first events of every channel: it was created and its creator joined. */
const EVENTS_BEFORE = 2;
const START = 1_600_000_000_000;

/** Sizes are multiples of this, so that all threads and all channels are full. */
const HISTORY_STEP = THREAD * CHANNELS;

/** Words that history holds: in every message, and in a few of the oldest only. */
export const COMMON_WORD = 'ordinary';
export const RARE_WORD = 'quetzal';

const AUTHOR_ID = 'author';

export const AUTHOR: Principal = {
  kind: 'human',
  id: AUTHOR_ID,
  owner: false,
  credentialId: 'crd_00000000000000000000000000',
};

/** The channels that history is written into; messages go to them in turn. */
export const channelName = (index: number): string => `channel-${index % CHANNELS}`;

/** The root of a thread of a channel, somewhere in the first `size` messages of history. */
export function rootMessageId(size: number, channel: number, share: number): string {
  const threads = Math.floor(size / HISTORY_STEP);
  const number = Math.floor(share * threads) * HISTORY_STEP + channel;
  return `msg_${String(number).padStart(26, '0')}`;
}

export async function createChannels({ credentials, channels }: Core): Promise<void> {
  await credentials.mint({ humanId: AUTHOR_ID, name: 'bench' });
  for (let i = 0; i < CHANNELS; i++) {
    await channels.create(AUTHOR, { channelId: channelName(i), title: channelName(i) });
  }
}

/**
 * Writes the messages `from` to `to` of a history, the same rows as posting them would have: that
 * takes minutes for a million, this takes seconds.
 */
export function writeHistory(home: string, from: number, to: number): void {
  const database = openSqlite(join(home, 'stoa.db'));
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = OFF');
    inTransaction(database, () => {
      database.exec(`
        CREATE TEMP TABLE "new" AS ${MESSAGES(from, to)};
        ${FROM_NEW}
        DROP TABLE "new"`);
    });
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

const messageId = (number: string): string => `printf('msg_%026d', ${number})`;
const word = (factor: number): string => `printf(' w%d', ("n" * ${factor}) % 4999)`;

const MESSAGES = (from: number, to: number): string => `
  WITH RECURSIVE "numbers" ("n") AS (
    SELECT ${from} UNION ALL SELECT "n" + 1 FROM "numbers" WHERE "n" + 1 < ${to}
  )
  SELECT c."topicId", "n" / ${CHANNELS} + ${EVENTS_BEFORE + 1} AS "seq", ${START} + "n" * 100 AS "at",
    ${messageId('"n"')} AS "messageId",
    CASE WHEN "n" / ${CHANNELS} % ${THREAD} > 0
      THEN ${messageId(`"n" - "n" / ${CHANNELS} % ${THREAD} * ${CHANNELS}`)} END AS "rootMessageId",
    '${COMMON_WORD}' || ${word(7)} || ${word(31)} || ${word(101)} || ${word(307)} || ${word(911)}
      || iif("n" < 20, ' ${RARE_WORD}', '') AS "text"
  FROM "numbers" JOIN "channels" c ON c."channelId" = 'channel-' || ("n" % ${CHANNELS})`;

const ACTOR = `human:${AUTHOR_ID}`;
const FROM_NEW = `
  INSERT INTO "events" ("topicId", "seq", "at", "type", "actor", "body")
    SELECT "topicId", "seq", "at", 'message_posted', '${ACTOR}', '{"messageId":"' || "messageId" || '"'
      || iif("rootMessageId" IS NULL, '', ',"threadRootMessageId":"' || "rootMessageId" || '"')
      || ',"author":{"kind":"human","id":"${ACTOR}","displayName":"${AUTHOR_ID}"},"addressedMemberIds":[]'
      || ',"inputItems":[{"type":"text","text":"' || "text" || '"}],"metadata":{}}'
    FROM "new" ORDER BY "topicId", "seq";
  INSERT INTO "messages" ("topicId", "seq", "ordinal", "messageId", "rootMessageId", "authorId", "bodySeq",
      "createdAt", "replyCount", "lastReplyAt")
    SELECT "topicId", "seq", "seq" - ${EVENTS_BEFORE}, "messageId", "rootMessageId", '${ACTOR}', "seq", "at",
      iif("rootMessageId" IS NULL, ${THREAD - 1}, 0),
      iif("rootMessageId" IS NULL, "at" + ${(THREAD - 1) * CHANNELS * 100}, NULL)
    FROM "new" ORDER BY "topicId", "seq";`;
