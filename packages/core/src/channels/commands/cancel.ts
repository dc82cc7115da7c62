import { StoaError } from '@stoa/protocol';
import { type LeaseRow, listLeases, listLiveLeases, openSession, type Tx } from '@stoa/store';
import { mayDirect } from '../../sessions/session-gate.js';
import { LEASES_CANCELLED } from '../context.js';
import { namedMembers } from '../member-name.js';
import type { ChannelCommand, CommandCall } from './command.js';
import { sessionNamed } from './member-named.js';

const AT_ONCE = 100;

/**
 * Takes the turn away from who has it in this thread, and outside of threads from everybody in the
 * channel: nobody else is started in their place. Of one that is named only the turn of that one is over,
 * and the next may speak.
 */
export const cancel: ChannelCommand = {
  name: 'cancel',
  takes: '[NAME]',
  what: 'end the turn of who speaks in this thread, or only of the one named',
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
    limit: AT_ONCE,
  });
}

/** As for the run itself. All or none: who is told that a thread is quiet must be able to rely on it. */
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
      `${nameOf(lease)} works for somebody else: only they and the owner may cancel it`,
    );
  }
}
