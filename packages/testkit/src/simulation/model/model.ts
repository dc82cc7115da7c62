import { isDeepStrictEqual } from 'node:util';
import type { ErrorCode, Principal } from '@stoa/protocol';
import type { AssetRow, CredentialRow, EventRow } from '@stoa/store';
import { violated } from '../failure.js';
import { assetsBrought, type Operation } from '../operation.js';
import { applyEvent } from './apply-event.js';
import { decide } from './decide.js';
import { rehearse } from './rehearse.js';
import { isInUse, type Removal } from './removals.js';
import { firstAnswer } from './replayed.js';
import { headOf, keyName, type ModelEvent, type ModelState } from './state.js';
import { type Asked, actorOf, type NewModelEvent } from './verdict.js';
import { assetView, credentialView } from './views.js';

/** What a committed transaction was seen to write. */
export interface Written {
  readonly events: EventRow[];
  readonly topics: { id: number; name: string }[];
  readonly assets: AssetRow[];
  readonly credentials: CredentialRow[];
  readonly removals: Removal[];
  /** Assets whose last reference went. */
  readonly released: { readonly assetId: string; readonly at: number }[];
}

/** The answer a caller has to get; `later` when a read after the commit makes it. */
export type Expectation =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'later' }
  | { readonly kind: 'minted'; readonly credential: unknown; readonly hash: string }
  | { readonly kind: 'refusal'; readonly codes: readonly ErrorCode[] };

type Post = Extract<Operation, { kind: 'post' }>;

/** A naive Stoa beside the real one: it receives what was committed, in order, and reports what is wrong. */
export class Model {
  constructor(readonly state: ModelState) {}

  personOf(hash: string): Principal | undefined {
    const row = [...this.state.credentials.values()].find((known) => known.hash === hash);
    if (row?.revokedAt !== null) return undefined;
    const owner = this.state.humans.get(row.principalId)?.role === 'owner';
    return { kind: 'human', id: row.principalId, owner, credentialId: row.credentialId };
  }

  /** A write was refused inside its transaction. */
  refuse(asked: Asked, code: ErrorCode): Expectation {
    const verdict = decide(this.state, asked);
    if (verdict.kind !== 'refused' || verdict.code !== code) {
      violated(`a write was refused with ${code}`, { operation: asked.operation, model: verdict });
    }
    return { kind: 'refusal', codes: [code] };
  }

  /** A post was refused before its assets were stored. */
  refuseRehearsal(asked: Asked, code: ErrorCode): Expectation {
    const expected = rehearse(this.state, asked as Asked<Post>);
    if (expected !== code) violated(`a post was refused with ${code}`, { asked, expected });
    return { kind: 'refusal', codes: [code] };
  }

  passRehearsal(asked: Asked): Expectation {
    const code = rehearse(this.state, asked as Asked<Post>);
    if (code !== undefined) violated('a post that is refused stores its assets', { asked, code });
    return { kind: 'later' };
  }

  /** A write was committed. */
  commit(asked: Asked, written: Written): Expectation {
    this.#learn(asked, written);
    const verdict = decide(this.state, asked);
    if (verdict.kind === 'refused') {
      violated('a write was committed that had to be refused', { asked, model: verdict.code });
    }
    const expected = verdict.kind === 'done' ? verdict.events : [];
    const events = this.#apply(asked, expected, written.events);
    if (verdict.kind === 'replayed') return { kind: 'answer', answer: verdict.answer };
    this.#remember(asked, events);
    return this.#answer(asked, events, written);
  }

  /** An asset was recorded, or was known already. Returns its record. */
  commitAsset(
    digest: string,
    bytes: number,
    createdBy: string,
    at: number,
    written: Written,
  ): AssetRow {
    const known = [...this.state.assets.values()].find((asset) => asset.digest === digest);
    const [row] = written.assets;
    if (known) {
      if (row) violated('the same bytes were recorded twice', { known, row });
      known.unusedSince = at;
      return known;
    }
    if (!row) return violated('an asset was not recorded', { digest });
    const { digest: d, bytes: b, createdBy: by, createdAt } = row;
    const isRight = isDeepStrictEqual([d, b, by, createdAt], [digest, bytes, createdBy, at]);
    if (!isRight) violated('an asset was recorded wrongly', { row, createdBy, at });
    this.state.assets.set(row.assetId, row);
    return row;
  }

  /** What has to exist before the model can decide: people, topics, credentials. */
  #learn({ operation }: Asked, { topics, credentials }: Written): void {
    for (const { id, name } of topics) {
      if (operation.kind === 'create_channel') continue;
      this.state.topics.set(name, { id, events: [], floor: 0, erased: false, swept: false });
    }
    for (const row of credentials) {
      const { principalId: humanId } = row;
      if (!this.state.humans.has(humanId)) {
        const role = humanId === 'owner' ? 'owner' : 'member';
        this.state.humans.set(humanId, { displayName: humanId, role });
      }
      this.state.credentials.set(row.credentialId, row);
    }
  }

  /** Compares what was written with what had to be, topic by topic, and takes it over. */
  #apply(
    asked: Asked,
    expected: readonly NewModelEvent[],
    rows: readonly EventRow[],
  ): ModelEvent[] {
    const actor = actorOf(asked.by);
    const heads = new Map<string, number>();
    const events = expected.map((event): ModelEvent => {
      const seq = (heads.get(event.topic) ?? headOf(this.state, event.topic)) + 1;
      heads.set(event.topic, seq);
      return plain({ actor, ...event, seq, at: asked.at });
    });
    const [first] = rows;
    if (asked.operation.kind === 'create_channel' && first && events[0]) {
      this.state.topics.set(events[0].topic, {
        id: first.topicId,
        events: [],
        floor: 0,
        erased: false,
        swept: false,
      });
    }
    const found = rows.map((row) => this.#readRow(row));
    if (!isDeepStrictEqual(inOrder(found), inOrder(events))) {
      violated('a write appended other events than it had to', { asked, found, expected: events });
    }
    for (const event of events) this.#follow(event);
    return events;
  }

  /** What an event takes the last use of lies unused since it; a deleted channel holds on until it is swept. */
  #follow(event: ModelEvent): void {
    const isUsed = ({ assetId }: AssetRow): boolean => isInUse(this.state, assetId);
    const used = [...this.state.assets.values()].filter(isUsed);
    applyEvent(this.state, event);
    if (event.type === 'channel_deleted') return;
    for (const asset of used) if (!isUsed(asset)) asset.unusedSince = event.at;
  }

  #readRow({ topicId, seq, at, actor, type, body }: EventRow): ModelEvent {
    const topic = [...this.state.topics].find(([, { id }]) => id === topicId)?.[0];
    if (topic === undefined)
      return violated('an event went to an unknown topic', { topicId, body });
    return { topic, seq, at, actor, type, data: JSON.parse(body) as ModelEvent['data'] };
  }

  #remember({ by, key, operation, at }: Asked, [first]: readonly ModelEvent[]): void {
    if (key === undefined || !first) return;
    if (operation.kind !== 'post' && operation.kind !== 'create_channel') return;
    const { topic, seq } = first;
    const actor = actorOf(by);
    const asked = JSON.stringify(operation);
    this.state.keys.set(keyName(actor, key), { actor, key, asked, topic, seq, at });
  }

  #answer({ operation }: Asked, [first]: readonly ModelEvent[], written: Written): Expectation {
    switch (operation.kind) {
      case 'post':
      case 'create_channel':
        return { kind: 'answer', answer: first ? firstAnswer(first) : undefined };
      case 'join':
        return { kind: 'answer', answer: first?.data.member };
      case 'mint': {
        const [row] = written.credentials;
        if (!row) return violated('a token was minted without a credential');
        return { kind: 'minted', credential: credentialView(row), hash: row.hash };
      }
      case 'leave':
      case 'delete_channel':
      case 'revoke':
        return { kind: 'answer', answer: undefined };
      default:
        return { kind: 'later' };
    }
  }

  /** After the last asset of an operation: an upload is answered, a post continues. */
  afterAsset({ operation }: Asked, row: AssetRow): Expectation {
    return operation.kind === 'upload' && assetsBrought(operation).length === 1
      ? { kind: 'answer', answer: assetView(row) }
      : { kind: 'later' };
  }
}

const inOrder = (events: readonly ModelEvent[]): ModelEvent[] =>
  [...events].sort((a, b) => (a.topic === b.topic ? a.seq - b.seq : a.topic < b.topic ? -1 : 1));

/** As it comes back from JSON: without fields that are undefined. */
const plain = (event: ModelEvent): ModelEvent => JSON.parse(JSON.stringify(event)) as ModelEvent;
