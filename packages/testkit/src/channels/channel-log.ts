import {
  deleteChannel,
  insertChannel,
  insertEvent,
  insertMessage,
  insertTopic,
  openTopicEnd,
  raiseFloor,
  type Store,
  setMessageBody,
  setMessageDeleted,
  type Tx,
} from '@stoa/store';

export interface LoggedMessage {
  readonly messageId: string;
  readonly seq: number;
}

/**
 * The log of one channel with the tables that go with it, written without the rules of core: for
 * what follows logs and does not care who wrote them.
 */
export class ChannelLog {
  #posted = 0;

  private constructor(
    private readonly store: Store,
    private readonly channelId: string,
    readonly topicId: number,
  ) {}

  static async create(store: Store, channelId: string): Promise<ChannelLog> {
    const topicId = await store.transact(function* () {
      const row = yield* insertTopic.first({ name: topicOf(channelId) });
      if (!row) throw new Error(`The topic of ${channelId} was not made`);
      const fields = {
        description: null,
        purpose: null,
        createdBy: ACTOR,
        metadata: '{}',
        settings: '{}',
        at: 1,
      };
      yield* insertChannel.run({ topicId: row.id, channelId, title: channelId, ...fields });
      return row.id;
    });
    const log = new ChannelLog(store, channelId, topicId);
    await store.transact(() => log.#append(1, 'channel_created', { channelId }));
    return log;
  }

  /** Continues an existing log. */
  static reopen(store: Store, channelId: string, topicId: number): ChannelLog {
    const log = new ChannelLog(store, channelId, topicId);
    log.#posted = 1_000_000;
    return log;
  }

  /** All in one commit. */
  post(at: number, ...texts: string[]): Promise<LoggedMessage[]> {
    const ids = texts.map(() => this.#nextId());
    const { topicId } = this;
    const append = this.#append.bind(this);
    return this.store.transact(function* () {
      const messages: LoggedMessage[] = [];
      for (const [i, messageId] of ids.entries()) {
        const data = { messageId, inputItems: itemsOf(texts[i] ?? '') };
        const seq = yield* append(at, 'message_posted', data);
        const row = { topicId, seq, messageId, rootMessageId: null, authorId: ACTOR, at };
        yield* insertMessage.run(row);
        messages.push({ messageId, seq });
      }
      return messages;
    });
  }

  edit(at: number, messageId: string, text: string): Promise<void> {
    const { topicId } = this;
    const append = this.#append.bind(this);
    return this.store.transact(function* () {
      const seq = yield* append(at, 'message_edited', { messageId, inputItems: itemsOf(text) });
      yield* setMessageBody.run({ topicId, messageId, seq, at });
    });
  }

  delete(at: number, messageId: string): Promise<void> {
    const { topicId } = this;
    const append = this.#append.bind(this);
    return this.store.transact(function* () {
      yield* append(at, 'message_deleted', { messageId });
      yield* setMessageDeleted.run({ topicId, messageId, at });
    });
  }

  react(at: number, messageId: string): Promise<void> {
    const data = { messageId, emoji: 'ok', actorId: ACTOR };
    return this.store.transact(() => this.#append(at, 'reaction_set', data)).then(() => undefined);
  }

  /** What deleting a channel commits at once; its rows are left to be swept. */
  erase(at: number): Promise<void> {
    const { topicId, channelId } = this;
    const append = this.#append.bind(this);
    return this.store.transact(function* () {
      const seq = yield* append(at, 'channel_deleted', { channelId });
      yield* deleteChannel.run({ topicId });
      yield* raiseFloor.run({ id: topicId, floor: seq - 1 });
    });
  }

  #nextId(): string {
    this.#posted += 1;
    return `msg_${String(this.topicId)}_${String(this.#posted)}`;
  }

  *#append(at: number, type: string, data: object): Tx<number> {
    const end = yield* openTopicEnd.first({ name: topicOf(this.channelId) });
    if (!end) throw new Error(`${this.channelId} has no topic`);
    const topicId = end.id;
    const seq = end.head + 1;
    const body = JSON.stringify(data);
    yield* insertEvent.run({ topicId, seq, at, type, actor: ACTOR, body });
    return seq;
  }
}

const ACTOR = 'human:tester';

const topicOf = (channelId: string): string => `channel:${channelId}`;

/** Several items where there are blank lines, and one that is no text. */
const itemsOf = (text: string): object[] => [
  ...text.split('\n\n').map((part) => ({ type: 'text', text: part })),
  { type: 'asset_reference', assetId: `ast_${'0'.repeat(26)}` },
];
