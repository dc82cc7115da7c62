import type { Principal } from '@stoa/protocol';
import type { LeaseRow, SearchIndex, Store, Tx } from '@stoa/store';
import type { OpenChannel } from '../access/gate.js';
import type { Assets } from '../assets/assets.js';
import type { LogEntry } from '../log/entry.js';
import type { Idempotency, Log, NewEvent } from '../log/log.js';
import type { Ids, Secrets } from '../ports.js';
import type { Posted } from './publish-message.js';
import { stableJson } from './stable-json.js';

/** What every verb of channels works with. */
export interface ChannelContext {
  readonly store: Store;
  readonly log: Log;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly assets: Assets;
  readonly search: SearchIndex;
  /** Told of what is worth a line in the log and concerns no caller. */
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
  /** What follows from a message of a person in a channel with sessions. */
  readonly openTurn: (
    channel: OpenChannel,
    posted: Posted,
    at: number,
    how: { readonly byHand?: readonly string[] | undefined },
  ) => Tx<readonly NewEvent[]>;
  /** What follows from a channel going on after a pause. */
  readonly resumeTurns: (channel: OpenChannel, at: number) => Tx<readonly NewEvent[]>;
  /** Ends these leases and their runs: the next may speak (`pass_on`), or the turns are over (`close`). */
  readonly cancelTurns: (
    channel: OpenChannel,
    leases: readonly LeaseRow[],
    then: 'pass_on' | 'close',
    at: number,
  ) => Tx<readonly NewEvent[]>;
  /** Lets a session that this caller may direct begin anew. */
  readonly clearSession: (by: Principal, sessionId: string) => Tx<readonly NewEvent[]>;
  /** What follows from a channel not being archived any more. */
  readonly reopenTurns: (channel: OpenChannel, at: number) => Tx<readonly NewEvent[]>;
}

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
