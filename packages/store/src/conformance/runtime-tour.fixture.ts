import * as api from '../index.js';
import type { Tx } from '../sql/statement.js';

const T = 50;
const s1 = { sessionId: 'ses_1' };
const rulesOf = { workspace: '/w', authorId: 'human:bob' };
const run = { topicId: T, kind: 'input', rule: 'followup', channelId: null, at: 10 };
const item = { topicId: T, kind: 'mailbox_delivery', fromId: 'session:ses_0', at: 10 };
const event = { topicId: T, at: 10, actor: 'human:ada' };
const listed = { before: '~', agentId: null, responsibleId: null, ended: 'exclude', limit: 9 };
const usage = { sessionId: null, runId: null, responsibleId: null, since: 0, until: 99 };
const call = { topicId: T, runId: 'run_1', channelId: null, provider: 'p', model: 'm', at: 12 };
const approval = { topicId: T, runId: 'run_1', kind: 'tool', createdAt: 10 };

/** The clocks of engines differ, so only what does not depend on them is compared. */
function* without(tx: Tx<object | undefined>, ...fields: string[]): Tx<unknown> {
  const row = yield* tx;
  if (!row) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !fields.includes(name)));
}

/** A day in the life of a session, statement by statement. */
export const runtimeTour: readonly (readonly [string, () => Tx<unknown>])[] = [
  [
    'topic of a session',
    () => api.insertTopicWithId.changes({ id: T, name: 'session:ses_1', floor: 0 }),
  ],
  ...['{"persona":{}}', '{"origin":{}}', '{"origin":{}}', '{}', '{}', '{}', '{}', '{}'].map(
    (body, i) =>
      [
        `event ${String(i + 1)} of a session`,
        () => api.insertEvent.changes({ ...event, seq: i + 1, type: 'x', body }),
      ] as const,
  ),
  [
    'putAgent',
    () => api.putAgent.changes({ agentId: 'a', definition: '{}', createdBy: 'x', updatedAt: 1 }),
  ],
  [
    'putAgent, again',
    () =>
      api.putAgent.changes({ agentId: 'a', definition: '{"b":1}', createdBy: 'x', updatedAt: 2 }),
  ],
  [
    'insertAgent, where there is one',
    () => api.insertAgent.changes({ agentId: 'a', definition: '{}', createdBy: 'y', updatedAt: 3 }),
  ],
  [
    'insertAgent',
    () => api.insertAgent.changes({ agentId: 'b', definition: '{}', createdBy: 'y', updatedAt: 3 }),
  ],
  ['findAgent', () => api.findAgent.first({ agentId: 'a' })],
  ['listAgents', () => api.listAgents.all({})],
  ['countAgents', () => api.countAgents.first({})],
  ['putNickname', () => api.putNickname.changes({ agentId: 'helper', nickname: 'Bee' })],
  ['putNickname, again', () => api.putNickname.changes({ agentId: 'helper', nickname: 'Zoë' })],
  ['listNicknames', () => api.listNicknames.all({})],
  [
    'insertSession',
    () =>
      api.insertSession.changes({
        topicId: T,
        ...s1,
        agentId: 'helper',
        driver: 'script',
        title: null,
        workspace: '/w',
        mode: 'ask',
        parentSessionId: null,
        createdBy: 'human:ada',
        responsibleId: 'human:ada',
        createdAt: 10,
        personaSeq: 1,
        metadata: '{}',
        ceiling: null,
      }),
  ],
  ['insertRun', () => api.insertRun.changes({ ...run, seq: 2, runId: 'run_1', priority: 5 })],
  [
    'insertRun, more urgent',
    () => api.insertRun.changes({ ...run, seq: 3, runId: 'run_2', priority: 9 }),
  ],
  ['nextQueuedRun', () => api.nextQueuedRun.first({ topicId: T })],
  ['listQueuedRuns', () => api.listQueuedRuns.all({ topicId: T, limit: 9 })],
  ['countQueuedRuns', () => api.countQueuedRuns.first({ topicId: T })],
  ['setRunStarted', () => api.setRunStarted.changes({ runId: 'run_1', at: 11 })],
  ['setRunResumed', () => api.setRunResumed.changes({ runId: 'run_1' })],
  ['beat', () => api.beat.changes({ daemonId: 'd1', now: 5 })],
  ['beat, again', () => api.beat.changes({ daemonId: 'd1', now: 6 })],
  ['leaseTime', () => without(api.leaseTime.first({ now: 5 }), 'now')],
  ['findDaemon', () => without(api.findDaemon.first({ daemonId: 'd1' }), 'startedAt', 'seenAt')],
  [
    'listUnownedWork',
    () =>
      api.listUnownedWork.all({
        daemonId: 'd1',
        aliveAfter: Number.MAX_SAFE_INTEGER,
        after: '',
        limit: 9,
      }),
  ],
  ['listDaemonIds', () => api.listDaemonIds.all({})],
  ['setSessionOwner', () => api.setSessionOwner.changes({ topicId: T, daemonId: 'd1' })],
  [
    'setSessionActive',
    () => api.setSessionActive.changes({ topicId: T, daemonId: 'd1', epoch: 1, at: 5 }),
  ],
  ['setSessionsActive', () => api.setSessionsActive.changes({ daemonId: 'd1', at: 6 })],
  ['setSessionOwner, another', () => api.setSessionOwner.changes({ topicId: T, daemonId: 'd2' })],
  ['findSessionWork', () => without(api.findSessionWork.first(s1), 'ownerSeenAt')],
  ['listHeldRuns', () => api.listHeldRuns.all({ daemonId: 'd2' })],
  ['openSession', () => api.openSession.first(s1)],
  ['lockSession', () => api.lockSession.first(s1)],
  ['lockSession, unknown', () => api.lockSession.first({ sessionId: 'ses_9' })],
  [
    'releaseSession, too late',
    () => api.releaseSession.changes({ topicId: T, daemonId: 'd1', epoch: 1 }),
  ],
  ['releaseSession', () => api.releaseSession.changes({ topicId: T, daemonId: 'd2', epoch: 2 })],
  ['releaseSessionsOf', () => api.releaseSessionsOf.changes({ daemonId: 'd2' })],
  [
    'insertInboxItem',
    () =>
      api.insertInboxItem.changes({
        ...item,
        seq: 4,
        itemId: 'itm_1',
        runId: 'run_1',
        expiresAt: 40,
      }),
  ],
  [
    'insertInboxItem, another',
    () =>
      api.insertInboxItem.changes({
        ...item,
        seq: 5,
        itemId: 'itm_2',
        runId: 'run_2',
        expiresAt: null,
      }),
  ],
  [
    'countWaitingItems',
    () => api.countWaitingItems.first({ topicId: T, kind: 'mailbox_delivery' }),
  ],
  ['countWaitingItems, of any kind', () => api.countWaitingItems.first({ topicId: T, kind: null })],
  ['countItemsOfRun', () => api.countItemsOfRun.first({ runId: 'run_1' })],
  ['findFirstItemOfRun', () => api.findFirstItemOfRun.first({ runId: 'run_1' })],
  ['listExpiredItems', () => api.listExpiredItems.all({ now: 41, limit: 9 })],
  [
    'settleInboxItem',
    () =>
      api.settleInboxItem.changes({ itemId: 'itm_1', state: 'dead_letter', reason: 'no', at: 12 }),
  ],
  [
    'requeueInboxItem',
    () =>
      api.requeueInboxItem.changes({
        itemId: 'itm_1',
        runId: 'run_2',
        attempts: 1,
        reason: 'again',
        expiresAt: null,
      }),
  ],
  ['findInboxItem', () => api.findInboxItem.first({ itemId: 'itm_1' })],
  [
    'listInboxItems',
    () => api.listInboxItems.all({ topicId: T, before: 99, state: null, kind: null, limit: 9 }),
  ],
  [
    'listInboxItems, some',
    () =>
      api.listInboxItems.all({
        topicId: T,
        before: 99,
        state: 'waiting',
        kind: 'mailbox_delivery',
        limit: 9,
      }),
  ],
  ['listItemsOfRun', () => api.listItemsOfRun.all({ runId: 'run_2' })],
  ['listWaitingItemsOfRun', () => api.listWaitingItemsOfRun.all({ topicId: T, runId: 'run_2' })],
  [
    'insertApproval',
    () =>
      api.insertApproval.changes({
        ...approval,
        seq: 6,
        approvalId: 'apr_1',
        callId: 'c1',
        expiresAt: 20,
      }),
  ],
  ['setRunStatus', () => api.setRunStatus.changes({ runId: 'run_1', status: 'waiting_approval' })],
  ['findApproval', () => api.findApproval.first({ approvalId: 'apr_1' })],
  ['findApprovalOfCall', () => api.findApprovalOfCall.first({ runId: 'run_1', callId: 'c1' })],
  ['listPendingApprovalsOfRun', () => api.listPendingApprovalsOfRun.all({ runId: 'run_1' })],
  ['listOverdueApprovals', () => api.listOverdueApprovals.all({ now: 21, limit: 9 })],
  [
    'settleApproval',
    () => api.settleApproval.changes({ approvalId: 'apr_1', state: 'allowed', at: 13, seq: 7 }),
  ],
  [
    'listApprovals',
    () =>
      api.listApprovals.all({
        before: '~',
        state: 'allowed',
        ...s1,
        responsibleId: 'human:ada',
        limit: 9,
      }),
  ],
  [
    'insertModelCall',
    () =>
      api.insertModelCall.changes({
        ...call,
        seq: 7,
        modelCalls: 1,
        inputTokens: 100,
        cachedInputTokens: 50,
        outputTokens: 7,
        cost: 0.25,
      }),
  ],
  [
    'insertModelCall, without a price',
    () =>
      api.insertModelCall.changes({
        ...call,
        seq: 8,
        modelCalls: 1,
        inputTokens: 1,
        cachedInputTokens: 0,
        outputTokens: 1,
        cost: null,
      }),
  ],
  ...Object.entries(api.sumUsage).map(
    ([by, sum]) => [`usage by ${by}`, () => sum.all(usage)] as const,
  ),
  ['findRun', () => api.findRun.first({ runId: 'run_1' })],
  ['findQueuedRun', () => api.findQueuedRun.first({ runId: 'run_1' })],
  ['findRunRow', () => api.findRunRow.first({ runId: 'run_1' })],
  ['setRunOutput', () => api.setRunOutput.changes({ runId: 'run_1', seq: 7 })],
  [
    'setRunEnded',
    () => api.setRunEnded.changes({ runId: 'run_1', status: 'completed', at: 20, seq: 8 }),
  ],
  ['listRunsOfSession', () => api.listRunsOfSession.all({ topicId: T, before: 99, limit: 9 })],
  ['findSessionFields', () => api.findSessionFields.first({ topicId: T })],
  [
    'updateSession',
    () =>
      api.updateSession.changes({
        topicId: T,
        title: 'Ärger',
        mode: 'plan',
        metadata: '{}',
        permissions: '{}',
        at: 21,
      }),
  ],
  ['setPersona', () => api.setPersona.changes({ topicId: T, seq: 1, driver: 'builtin', at: 22 })],
  ['setContextSeq', () => api.setContextSeq.changes({ topicId: T, seq: 5 })],
  ['findSession', () => api.findSession.first(s1)],
  ['listSessions', () => api.listSessions.all(listed)],
  [
    'listSessions, of one',
    () => api.listSessions.all({ ...listed, agentId: 'helper', responsibleId: 'human:x' }),
  ],
  ['countSessions', () => api.countSessions.first({})],
  ['findFamily', () => api.findFamily.first(s1)],
  ['findSessionEnd', () => api.findSessionEnd.first(s1)],
  ['listOrphanedSessions', () => api.listOrphanedSessions.all({ limit: 9 })],
  ['listChildSessions', () => api.listChildSessions.all({ parentSessionId: 'ses_1' })],
  ['beginWorkspaceRules', () => api.beginWorkspaceRules.changes({ ...rulesOf, at: 1 })],
  ['beginWorkspaceRules, again', () => api.beginWorkspaceRules.changes({ ...rulesOf, at: 2 })],
  ['lockWorkspaceRules', () => api.lockWorkspaceRules.first(rulesOf)],
  [
    'putWorkspaceRules',
    () => api.putWorkspaceRules.changes({ ...rulesOf, permissions: '{}', at: 1 }),
  ],
  [
    'putWorkspaceRules, again',
    () => api.putWorkspaceRules.changes({ ...rulesOf, permissions: '{"deny":[]}', at: 2 }),
  ],
  [
    'listWorkspaceRules',
    () =>
      api.listWorkspaceRules.all({
        workspace: '/w',
        responsibleId: 'human:bob',
        ownerId: 'human:owner',
      }),
  ],
  [
    'insertSchedule',
    () => api.insertSchedule.changes({ topicId: T, seq: 6, scheduleId: 'sch_1', nextFireAt: 30 }),
  ],
  ['listDueSchedules', () => api.listDueSchedules.all({ now: 31, limit: 9 })],
  ['nextScheduleAt', () => api.nextScheduleAt.first({})],
  ['countActiveSchedules', () => api.countActiveSchedules.first({ topicId: T })],
  [
    'setScheduleFired',
    () =>
      api.setScheduleFired.changes({
        scheduleId: 'sch_1',
        at: 30,
        runId: 'run_2',
        fires: 1,
        skipped: 0,
      }),
  ],
  [
    'setScheduleStatus',
    () =>
      api.setScheduleStatus.changes({ scheduleId: 'sch_1', status: 'paused', nextFireAt: null }),
  ],
  ['findSchedule', () => api.findSchedule.first({ scheduleId: 'sch_1' })],
  [
    'listSchedules',
    () => api.listSchedules.all({ before: '~', sessionId: null, responsibleId: null, limit: 9 }),
  ],
  ...[
    api.SESSION_TABLES,
    api.RUN_TABLES,
    api.INBOX_TABLES,
    api.APPROVAL_TABLES,
    api.SCHEDULE_TABLES,
    api.BOARD_TABLES,
    api.TASK_TABLES,
  ]
    .flatMap((tables) => Object.entries(tables))
    .map(
      ([table, dump]) =>
        [`dump of ${table}`, () => dump.all({ topicId: T, offset: 0, limit: 9 })] as const,
    ),
  ['setSessionEnded', () => api.setSessionEnded.changes({ topicId: T, at: 50 })],
  ['deleteNickname', () => api.deleteNickname.changes({ agentId: 'helper' })],
  ['deleteAgent', () => api.deleteAgent.changes({ agentId: 'a' })],
  ['deleteGoneDaemons', () => api.deleteGoneDaemons.changes({ before: 1 })],
  ['deleteOtherDaemons', () => api.deleteOtherDaemons.changes({ daemonId: 'd1' })],
  ['deleteDaemon', () => api.deleteDaemon.changes({ daemonId: 'd1' })],
];
