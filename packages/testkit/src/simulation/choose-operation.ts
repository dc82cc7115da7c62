import type { InputItem, PostMessage } from '@stoa/protocol';
import type { SeededRandom } from '../virtual/random.js';
import type { ModelChannel, ModelMessage, ModelState } from './model/state.js';
import type { Operation } from './operation.js';
import type { World } from './world.js';

/** No word is the beginning of another one. */
const WORDS = ['amber', 'birch', 'cedar', 'delta'];
const EMOJI = ['👍', '🎉'];
/** Few, so that ids are asked for again after their channel was deleted. */
const CHANNEL_IDS = ['attic', 'barn', 'cellar'];
const NOWHERE = 'nowhere';
const NO_MESSAGE = `msg_${'0'.repeat(26)}`;
const NO_ASSET = `ast_${'0'.repeat(26)}`;
const NO_CREDENTIAL = `crd_${'0'.repeat(26)}`;

type Kind = Operation['kind'];

const WEIGHTS: Readonly<Record<Exclude<Kind, 'search'>, number>> = {
  post: 30,
  edit: 5,
  delete_message: 3,
  react: 6,
  unreact: 4,
  create_channel: 4,
  update_channel: 1,
  archive: 1,
  unarchive: 1,
  delete_channel: 1.5,
  join: 4,
  leave: 2,
  pin: 2,
  unpin: 1,
  upload: 2,
  delete_asset: 2,
  move_cursor: 5,
  mint: 1,
  revoke: 1,
  list_messages: 2,
  get_channel: 2,
  list_unread: 2,
};

/** Something this client could want now; often sensible, sometimes not. */
export function chooseOperation(world: World, client: string): (marker: string) => Operation {
  const { random, profile } = world;
  const { search, assets } = profile.weights;
  const kinds = Object.entries({
    ...WEIGHTS,
    search: search * 4,
    upload: WEIGHTS.upload * assets,
    delete_asset: WEIGHTS.delete_asset * assets,
  });
  const { kind } = random.weighted(kinds.map(([name, weight]) => ({ kind: name as Kind, weight })));
  return (marker) => new Chooser(random, world.model.state, client, marker).operation(kind);
}

class Chooser {
  constructor(
    private readonly random: SeededRandom,
    private readonly state: ModelState,
    private readonly client: string,
    private readonly marker: string,
  ) {}

  operation(kind: Kind): Operation {
    const { random, state, marker } = this;
    const channel = this.#channel();
    const channelId = channel?.channelId ?? NOWHERE;
    switch (kind) {
      case 'create_channel':
        if (random.chance(0.4)) return { kind, title: marker };
        return {
          kind,
          title: marker,
          channelId: random.pick([...CHANNEL_IDS, ...this.#deleted()]),
        };
      case 'update_channel':
        return { kind, channelId, title: `renamed ${marker}` };
      case 'archive':
      case 'delete_channel':
      case 'list_messages':
      case 'get_channel':
        return { kind, channelId };
      case 'unarchive': {
        const archived = [...state.channels.values()].find(
          (known) => known.archivedAt !== undefined,
        );
        return { kind, channelId: archived?.channelId ?? channelId };
      }
      case 'join': {
        const humanId = random.chance(0.7)
          ? this.client
          : random.pick([...state.humans.keys(), 'zoe']);
        return { kind, channelId, actorId: `human:${humanId}` };
      }
      case 'leave':
        return { kind, channelId, memberId: this.#member(channel) };
      case 'post':
        return { kind, channelId, request: this.#post(channel) };
      case 'edit': {
        const text = `${random.pick(WORDS)} edited ${marker}`;
        return { kind, channelId, messageId: this.#message(channel, true), text };
      }
      case 'delete_message':
        return { kind, channelId, messageId: this.#message(channel, true) };
      case 'react':
      case 'unreact': {
        const messageId = this.#message(channel, false);
        return { kind, channelId, messageId, emoji: random.pick(EMOJI) };
      }
      case 'pin':
      case 'unpin':
        return { kind, channelId, assetId: this.#asset() };
      case 'upload':
        return { kind, text: this.#assetText() };
      case 'delete_asset':
        return { kind, assetId: this.#asset() };
      case 'move_cursor':
        return { kind, channelId, readSeq: random.below(20) };
      case 'mint':
        return { kind, humanId: random.pick(['alice', 'eve']), name: marker };
      case 'revoke':
        return { kind, credentialId: this.#credential() };
      case 'list_unread':
        return { kind };
      case 'search':
        return { kind, word: random.pick(WORDS) };
    }
  }

  /** Ids of channels that were; they must not be given out again. */
  #deleted(): string[] {
    return [...this.state.topics.keys()]
      .filter((topic) => topic.startsWith('channel:'))
      .map((topic) => topic.slice('channel:'.length))
      .filter((channelId) => !this.state.channels.has(channelId));
  }

  #channel(): ModelChannel | undefined {
    const open = [...this.state.channels.values()];
    const mine = open.filter(({ members }) =>
      members.some(({ actorId }) => actorId === `human:${this.client}`),
    );
    if (open.length === 0 || this.random.chance(0.03)) return undefined;
    return this.random.pick(mine.length > 0 && this.random.chance(0.85) ? mine : open);
  }

  #post(channel: ModelChannel | undefined): PostMessage {
    const { random, marker } = this;
    const text = `${random.pick(WORDS)} ${marker}`;
    const addressed = random.chance(0.4)
      ? [this.#member(channel), this.#member(channel)]
      : undefined;
    return {
      ...(random.chance(0.2) ? { inputItems: this.#items(text) } : { text }),
      ...(random.chance(0.35) ? this.#threadPosition(channel) : {}),
      ...(addressed ? { addressedMemberIds: addressed } : {}),
    };
  }

  #items(text: string): InputItem[] {
    const data = Buffer.from(this.#assetText()).toString('base64');
    const asset: InputItem = this.random.chance(0.6)
      ? { type: 'inline_asset', data }
      : { type: 'asset_reference', assetId: this.#asset() };
    return [{ type: 'text', text }, asset];
  }

  #threadPosition(channel: ModelChannel | undefined): Partial<PostMessage> {
    const { random } = this;
    const replyToMessageId = this.#message(channel, false);
    if (random.chance(0.6)) return { replyToMessageId };
    const threadRootMessageId = this.#message(channel, false);
    return random.chance(0.8) ? { threadRootMessageId } : { threadRootMessageId, replyToMessageId };
  }

  #message(channel: ModelChannel | undefined, preferOwn: boolean): string {
    const all = channel?.messages ?? [];
    const own = all.filter(({ author }) => author.id === `human:${this.client}`);
    const from: readonly ModelMessage[] =
      preferOwn && own.length > 0 && this.random.chance(0.8) ? own : all;
    if (from.length === 0 || this.random.chance(0.03)) return NO_MESSAGE;
    return this.random.pick(from.slice(-5)).messageId;
  }

  #member(channel: ModelChannel | undefined): string {
    const members = channel?.members ?? [];
    if (members.length === 0 || this.random.chance(0.05)) return 'nobody';
    return this.random.pick(members).memberId;
  }

  /** Few different ones, so that the same bytes are stored, removed and stored again. */
  #assetText(): string {
    return `asset ${this.random.below(2)}`;
  }

  #asset(): string {
    const ids = [...this.state.assets.keys()];
    return ids.length === 0 || this.random.chance(0.05) ? NO_ASSET : this.random.pick(ids);
  }

  /** Of those whom the simulation can spare. */
  #credential(): string {
    const spare = [...this.state.credentials.values()].filter(({ principalId }) =>
      ['eve', 'dan', 'alice'].includes(principalId),
    );
    if (spare.length === 0 || this.random.chance(0.1)) return NO_CREDENTIAL;
    return this.random.pick(spare).credentialId;
  }
}
