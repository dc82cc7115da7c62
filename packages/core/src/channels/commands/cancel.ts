import { StoaError } from '@stoa/protocol';
import { type LeaseRow, listLeases, listLiveLeases, openSession, type Tx } from '@stoa/store';
import { mayDirect } from '../../sessions/session-gate.js';
import { LEASES_CANCELLED } from '../context.js';
import { namedMembers } from '../member-name.js';
import type { ChannelCommand, CommandCall } from './command.js';
import { sessionNamed } from './member-named.js';

const MAX_CANCELLED = 100;

/**
 * Cancels all leases of this thread, or outside of threads of the channel, and closes their turns. With a name it
 * cancels only the leases of that session, and the next one may speak.
 */
export const cancel: ChannelCommand = {
  name: 'cancel',
  takes: '[NAME]',
  what: 'end the turns in this thread, or only that of one agent',
  *run(call) {
    const { context, channel, rest, at } = call;
    const named = rest === '' ? undefined : yield* sessionNamed(call, rest);
    const live = yield* leasesHere(call);
    const leases = named ? live.filter(({ sessionId }) => sessionId === named.sessionId) : live;
    if (leases.length === 0) {
      return {
        line: named ? `${named.name} does not have the turn here.` : 'Nobody has the turn here.',
      };
    }
    const members = yield* namedMembers(channel.topicId);
    const nameOf = ({ memberId }: LeaseRow): string =>
      members.find((member) => member.memberId === memberId)?.displayName ?? memberId;
    yield* assertMayCancel(call, leases, nameOf);
    const events = yield* context.hooks.collect(
      LEASES_CANCELLED,
      channel,
      leases,
      named ? 'pass_on' : 'close',
      at,
    );
    const names = [...new Set(leases.map(nameOf))].join(', ');
    return { line: `${channel.memberName} cancelled ${names}.`, events };
  },
};

function* leasesHere({ channel: { topicId }, threadRootMessageId }: CommandCall): Tx<LeaseRow[]> {
  if (threadRootMessageId !== undefined) {
    return yield* listLiveLeases.all({ topicId, rootMessageId: threadRootMessageId });
  }
  return yield* listLeases.all({
    topicId,
    live: 1,
    before: Number.MAX_SAFE_INTEGER,
    limit: MAX_CANCELLED,
  });
}

/** Needs the right to cancel each run. Cancels all or none, so that the answer is true for the whole thread. */
function* assertMayCancel(
  { by }: CommandCall,
  leases: readonly LeaseRow[],
  nameOf: (lease: LeaseRow) => string,
): Tx<void> {
  for (const lease of leases) {
    const session = yield* openSession.first({ sessionId: lease.sessionId });
    if (!session || mayDirect(by, session)) continue;
    throw new StoaError(
      'forbidden',
      `${nameOf(lease)} works for another person: only they and the owner may cancel it`,
    );
  }
}
