import * as api from '../index.js';
import type { Tx } from '../sql/statement.js';

const c1 = { topicId: 1 };
const thread = { ...c1, rootMessageId: 'msg_1' };
const turn = { ...thread, turnId: 'trn_1', seq: 4, isOpen: 1 };
const lease = {
  ...thread,
  seq: 4,
  turnId: 'trn_1',
  originMessageId: 'msg_1',
  sessionId: 'ses_1',
  grantedAt: 14,
  deadline: 34,
};
const leases = { ...c1, before: 99, limit: 9 };

/** A thread in which two sessions are given turns, statement by statement; after the tour of a session. */
export const turnTour: readonly (readonly [string, () => Tx<unknown>])[] = [
  [
    'upsertMember, a session',
    () =>
      api.upsertMember.changes({
        ...c1,
        memberId: 'helper',
        memberKind: 'session',
        actorId: 'session:ses_1',
        displayName: 'Zoë',
        role: 'host',
        joinedAt: 13,
        metadata: '{}',
        settings: '{"muted":true}',
      }),
  ],
  [
    'upsertMember, a session that is not there',
    () =>
      api.upsertMember.changes({
        ...c1,
        memberId: 'Gone',
        memberKind: 'session',
        actorId: 'session:ses_9',
        displayName: 'Gone',
        role: null,
        joinedAt: 13,
        metadata: '{}',
        settings: '{}',
      }),
  ],
  ['listSessionMembers', () => api.listSessionMembers.all(c1)],
  ['listAuthorsInThread', () => api.listAuthorsInThread.all({ ...thread, limit: 9 })],
  ['listAuthorsInChannel', () => api.listAuthorsInChannel.all({ ...c1, limit: 9 })],
  [
    'countPostsSince',
    () => api.countPostsSince.first({ ...c1, authorId: 'human:ada', since: 1, among: 9 }),
  ],
  ['nextTurnAt, of nothing', () => api.nextTurnAt.first({})],
  ...['{"turn":1}', '{"turn":2}'].map(
    (body, i) =>
      [
        `event of decision ${String(i + 1)}`,
        () =>
          api.insertEvent.changes({
            ...c1,
            seq: 4 + i,
            at: 14 + i,
            type: 'turn_decided',
            actor: 'system',
            body,
          }),
      ] as const,
  ),
  ['putTurn', () => api.putTurn.changes({ ...turn, wakeAt: 34 })],
  [
    'putTurn, of another thread',
    () => api.putTurn.changes({ ...turn, rootMessageId: 'msg_0', turnId: 'trn_0', wakeAt: null }),
  ],
  ['insertDecision', () => api.insertDecision.changes({ ...thread, seq: 4 })],
  ['insertDecision, another', () => api.insertDecision.changes({ ...thread, seq: 5 })],
  ['nextTurnAt', () => api.nextTurnAt.first({})],
  ['listDueTurns, too early', () => api.listDueTurns.all({ now: 33, limit: 9 })],
  ['listDueTurns', () => api.listDueTurns.all({ now: 34, limit: 9 })],
  ['listOpenTurns', () => api.listOpenTurns.all(c1)],
  [
    'insertLease',
    () =>
      api.insertLease.changes({ ...lease, leaseId: 'lse_b', memberId: 'helper', runId: 'run_1' }),
  ],
  [
    'insertLease, of a run that is not there',
    () => api.insertLease.changes({ ...lease, leaseId: 'lse_A', memberId: 'Gone', runId: 'run_9' }),
  ],
  ['listLiveLeases', () => api.listLiveLeases.all(thread)],
  ['setLeaseDeadline', () => api.setLeaseDeadline.changes({ leaseId: 'lse_b', deadline: 94 })],
  [
    'setLeaseEnded',
    () => api.setLeaseEnded.changes({ leaseId: 'lse_A', at: 15, outcome: 'unclaimed' }),
  ],
  ['listLiveLeases, one ended', () => api.listLiveLeases.all(thread)],
  ['findSpeaking', () => api.findSpeaking.first({ ...c1, sessionId: lease.sessionId })],
  ['findSpeaking, nobody', () => api.findSpeaking.first({ ...c1, sessionId: 'ses_0' })],
  ['listLeases, live', () => api.listLeases.all({ ...leases, live: 1 })],
  ['listLeases, all', () => api.listLeases.all({ ...leases, live: 0 })],
  ['listLeases, before the first', () => api.listLeases.all({ ...leases, live: 0, before: 4 })],
  ['findLeaseOfRun', () => api.findLeaseOfRun.first({ runId: 'run_9' })],
  ['findLeaseOfRun, none', () => api.findLeaseOfRun.first({ runId: 'run_8' })],
  ['putTurn, again', () => api.putTurn.changes({ ...turn, seq: 5, isOpen: 0, wakeAt: null })],
  ['findTurn', () => api.findTurn.first(thread)],
  ['findTurn, none', () => api.findTurn.first({ ...c1, rootMessageId: 'msg_2' })],
  ['listOpenTurns, one closed', () => api.listOpenTurns.all(c1)],
  ['listDecisions', () => api.listDecisions.all({ ...thread, before: 99, limit: 9 })],
  ['listDecisions, before', () => api.listDecisions.all({ ...thread, before: 5, limit: 9 })],
];
