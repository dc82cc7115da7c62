import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from './call.js';
import { violated } from './failure.js';
import { describe, type Request } from './operation.js';
import type { VirtualDisk } from './virtual-disk.js';

interface Entry {
  readonly request: Request;
  /** Sent without an answer: it may have been done. */
  unknown: number;
  refused: number;
  answer: unknown;
  isAcknowledged: boolean;
  /** The key had expired in between, so the repeated request was carried out again. */
  mayRepeat: boolean;
}

/**
 * Everything that the clients know, and nothing else: what was acknowledged to them must be stored once, as acknowledged; what was
 * refused must not. It knows neither the model nor the program.
 */
export class Ledger {
  readonly #entries = new Map<number, Entry>();

  sent(request: Request): void {
    const known = this.#entries.get(request.id);
    if (known) known.unknown += 1;
    else {
      this.#entries.set(request.id, {
        request,
        unknown: 1,
        refused: 0,
        answer: undefined,
        isAcknowledged: false,
        mayRepeat: false,
      });
    }
  }

  answered(request: Request, outcome: Outcome): void {
    const entry = this.#of(request);
    entry.unknown -= 1;
    if (outcome.kind !== 'answer') {
      entry.refused += 1;
      return;
    }
    const { answer } = outcome;
    const isOnce = takesKey(request) && !entry.mayRepeat;
    if (entry.isAcknowledged && isOnce && !isDeepStrictEqual(entry.answer, answer)) {
      violated(`${describe(request)} was answered in two ways`, {
        first: entry.answer,
        then: answer,
      });
    }
    entry.isAcknowledged = true;
    entry.answer = outcome.answer;
  }

  forgotten(client: string, key: string): void {
    for (const entry of this.#entries.values()) {
      const { request } = entry;
      if (request.client === client && request.key === key) entry.mayRepeat = true;
    }
  }

  isAcknowledged(request: Request): boolean {
    return this.#of(request).isAcknowledged;
  }

  /** Compares with the log itself, read without the program. */
  check(disk: VirtualDisk): void {
    const found = markersIn(disk);
    const channels = new Set(
      disk.rows<{ id: string }>('SELECT "channelId" AS "id" FROM "channels"').map(({ id }) => id),
    );
    for (const entry of this.#entries.values()) {
      if (!takesKey(entry.request)) continue;
      const rows = found.get(entry.request.marker) ?? [];
      const what = describe(entry.request);
      if (rows.length > 1 && !entry.mayRepeat)
        violated(`${what} was done ${rows.length} times`, { rows });
      if (entry.isAcknowledged) assertPresent(what, entry.answer as Acknowledged, rows, channels);
      else if (rows.length > 0 && entry.unknown === 0) {
        violated(`${what} was refused and done all the same`, { rows });
      }
    }
  }

  #of(request: Request): Entry {
    const entry = this.#entries.get(request.id);
    if (!entry) throw new Error(`#${request.id} was never sent`);
    return entry;
  }
}

/** Whether doing it twice would be a mistake, and a key keeps it from being made. */
const takesKey = ({ operation: { kind } }: Request): boolean =>
  kind === 'post' || kind === 'create_channel';

interface MarkedRow {
  readonly name: string;
  readonly seq: number;
  readonly body: string;
}

interface Acknowledged {
  readonly channelId: string;
  readonly messageId?: string;
  readonly seq?: number;
  readonly inputItems?: unknown;
  readonly title?: string;
}

function markersIn(disk: VirtualDisk): Map<string, MarkedRow[]> {
  const rows = disk.rows<MarkedRow>(
    `SELECT t."name", e."seq", e."body" FROM "events" e JOIN "topics" t ON t."id" = e."topicId"
     WHERE e."type" IN ('message_posted', 'channel_created')`,
  );
  const found = new Map<string, MarkedRow[]>();
  for (const row of rows) {
    const marker = /\bmark\d+x/.exec(row.body)?.[0] ?? '';
    found.set(marker, [...(found.get(marker) ?? []), row]);
  }
  return found;
}

/** What was acknowledged is stored, unless the channel was deleted with its log. */
function assertPresent(
  what: string,
  answer: Acknowledged,
  rows: readonly MarkedRow[],
  channels: ReadonlySet<string>,
): void {
  const topic = `channel:${answer.channelId}`;
  if (!channels.has(answer.channelId)) return;
  const isThere = rows.some(({ name, seq, body }) => {
    const data = JSON.parse(body) as Acknowledged;
    if (name !== topic) return false;
    if (answer.seq === undefined) return seq === 1 && data.title === answer.title;
    return (
      seq === answer.seq &&
      data.messageId === answer.messageId &&
      isDeepStrictEqual(data.inputItems, answer.inputItems)
    );
  });
  if (!isThere) violated(`${what} was acknowledged and is not there`, { answer, rows });
}
