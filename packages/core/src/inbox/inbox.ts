import type { InboxItem, InboxItemState, Principal, SubmitItem, WorkKind } from '@stoa/protocol';
import { listInboxItems } from '@stoa/store';
import type { SessionContext } from '../sessions/context.js';
import { itemRecord } from '../sessions/records.js';
import { sessionToRead } from '../sessions/session-gate.js';
import { getItem, replayItem, submitItem } from './submit.js';

interface InboxQuery {
  readonly state?: InboxItemState | undefined;
  readonly kind?: WorkKind | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** What a caller can do with the inboxes of sessions; `by` is the principal the credential proved. */
export class Inbox {
  constructor(private readonly context: SessionContext) {}

  submit(by: Principal, sessionId: string, request: SubmitItem, key?: string): Promise<InboxItem> {
    return submitItem(this.context, by, sessionId, request, key);
  }
  get(by: Principal, itemId: string): Promise<InboxItem> {
    return getItem(this.context, by, itemId);
  }
  replay(by: Principal, itemId: string): Promise<InboxItem> {
    return replayItem(this.context, by, itemId);
  }

  list(by: Principal, sessionId: string, { state, kind, before, limit }: InboxQuery) {
    return this.context.store.read(function* () {
      const { topicId } = yield* sessionToRead(by, sessionId);
      const rows = yield* listInboxItems.all({
        topicId,
        before: before ?? Number.MAX_SAFE_INTEGER,
        state: state ?? null,
        kind: kind ?? null,
        limit: limit + 1,
      });
      const shown = rows.slice(0, limit);
      const nextBefore = rows.length > limit ? shown.at(-1)?.seq : undefined;
      return {
        items: shown.map(itemRecord),
        ...(nextBefore === undefined ? {} : { nextBefore }),
      };
    });
  }
}
