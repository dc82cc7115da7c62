import {
  type InboxItem,
  type Principal,
  type SendMailboxMessage,
  StoaError,
  SYSTEM,
  sessionTopic,
} from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import { type Arrival, acceptItem, assertMailboxRoom } from '../inbox/accept-item.js';
import { accepted, acceptedEntry } from '../inbox/inbox.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision } from '../kernel/log.js';
import { currentCeiling } from '../sessions/ceiling-of.js';
import type { SessionContext } from '../sessions/context.js';
import { assertNotEnded, sessionToRead, sessionToServe } from '../sessions/session-gate.js';

/** Messages between sessions; `by` is the principal that the credential proved. */
export class Mailbox {
  constructor(private readonly context: SessionContext) {}

  /** Sends a message from one session to another. When it resolves, the message is stored. */
  async send(
    by: Principal,
    fromSessionId: string,
    request: SendMailboxMessage,
    key?: string,
  ): Promise<InboxItem> {
    const { context } = this;
    const { toSessionId } = request;
    const sender = await context.store.read(function* () {
      const session = yield* sessionToRead(by, fromSessionId);
      if (by.kind === 'session' && by.id !== fromSessionId) {
        throw new StoaError('forbidden', 'A session sends only its own messages');
      }
      return session;
    });
    assertNotEnded(sender);
    return context.log.write({
      actor: `session:${fromSessionId}`,
      lane: sessionTopic(toSessionId),
      open: () => sessionToServe(toSessionId),
      *decide(session, at): Tx<Decision<InboxItem>> {
        if (session.responsibleId !== sender.responsibleId) {
          throw new StoaError('forbidden', 'Messages go to sessions that work for the same person');
        }
        assertNotEnded(session);
        yield* assertMailboxRoom(session);
        const arrival: Arrival = {
          kind: 'mailbox_delivery',
          rule: 'inject',
          from: `session:${fromSessionId}`,
          fromName: sender.agentName,
          subject: request.subject,
          inputItems: [{ type: 'text', text: request.text }],
          origin: { fromSessionId },
          ceiling: yield* currentCeiling(yield* sessionToRead(SYSTEM, fromSessionId)),
          expiresAt: request.expiresInMs === undefined ? undefined : at + request.expiresInMs,
          metadata: {},
        };
        return accepted(session, at, (yield* acceptItem(context, session, arrival)).events);
      },
      idempotency: idempotency(context.secrets, key, { send: request, fromSessionId }, (entry) =>
        acceptedEntry(toSessionId, entry),
      ),
    });
  }
}
