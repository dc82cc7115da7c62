import type { ChannelEvent } from '@stoa/protocol';
import type { SearchIndex, Store, Tx } from '@stoa/store';
import type { OpenChannel } from '../access/gate.js';
import type { Assets } from '../assets/assets.js';
import type { LogEntry } from '../log/entry.js';
import type { Idempotency, Log, NewEvent } from '../log/log.js';
import type { Ids, Secrets } from '../ports.js';
import { stableJson } from './stable-json.js';

/** What every verb of channels works with. */
export interface ChannelContext {
  readonly store: Store;
  readonly log: Log;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly assets: Assets;
  readonly search: SearchIndex;
  /** What follows from a message of a person in a channel with sessions. */
  readonly openTurn: (
    channel: OpenChannel,
    posted: Posted,
    at: number,
    byHand?: readonly string[],
  ) => Tx<readonly NewEvent[]>;
  /** What follows from a channel going on after a pause. */
  readonly resumeTurns: (channel: OpenChannel, at: number) => Tx<readonly NewEvent[]>;
}

type Posted = Extract<ChannelEvent, { type: 'message_posted' }>['data'];

/** Binds a client's key to what was asked, so that the same key with another request is noticed. */
export function idempotency<R>(
  secrets: Secrets,
  key: string | undefined,
  asked: unknown,
  replay: (entry: LogEntry) => R,
): Idempotency<R> | undefined {
  if (key === undefined) return undefined;
  return { key, fingerprint: secrets.digest(stableJson(asked)), replay };
}
