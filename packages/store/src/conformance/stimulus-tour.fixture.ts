import * as api from '../index.js';
import type { Tx } from '../sql/statement.js';

const c1 = { topicId: 1 };
const thread = { ...c1, rootMessageId: 'msg_1' };
const due = { rootMessageId: null, wakes: 1, dueAt: 20, expiresAt: null };
const stimulus = (n: number) => ({ ...c1, seq: 10 + n, stimulusId: `stm_${String(n)}` });
const settled = { error: null, byStimulusId: null, messageId: null };
const pages = { ...c1, state: null, rootMessageId: null, before: 99, limit: 9 };
const work = {
  ...thread,
  seq: 16,
  topicKind: 'autonomous_root',
  isOpen: 1,
  initiativeKey: 'Zoë',
  rootPostedAt: 25,
  followedUpAt: null,
};
const lost = { daemonId: 'dmn_1', aliveAfter: 0, staleBefore: 0, limit: 9 };

/** Stimuli of a channel and the work of a thread, statement by statement; after the tour of turns. */
export const stimulusTour: readonly (readonly [string, () => Tx<unknown>])[] = [
  ...[1, 2, 3, 4, 5, 6].map(
    (n) =>
      [
        `event ${String(n)} about stimuli`,
        () =>
          api.insertEvent.changes({
            ...c1,
            seq: 10 + n,
            at: 10 + n,
            type: n < 6 ? 'stimulus_created' : 'thread_work_changed',
            actor: 'system',
            body: JSON.stringify({ n }),
          }),
      ] as const,
  ),
  ['insertStimulus', () => api.insertStimulus.changes({ ...stimulus(1), ...due })],
  [
    'insertStimulus, of a thread',
    () => api.insertStimulus.changes({ ...stimulus(2), ...due, rootMessageId: 'msg_1', dueAt: 30 }),
  ],
  [
    'insertStimulus, that expires',
    () => api.insertStimulus.changes({ ...stimulus(3), ...due, wakes: 0, expiresAt: 25 }),
  ],
  [
    'insertStimulus, fourth',
    () => api.insertStimulus.changes({ ...stimulus(4), ...due, dueAt: 40 }),
  ],
  [
    'insertStimulus, fifth',
    () => api.insertStimulus.changes({ ...stimulus(5), ...due, dueAt: 50 }),
  ],
  ['findStimulus', () => api.findStimulus.first({ ...c1, stimulusId: 'stm_2' })],
  ['findStimulus, elsewhere', () => api.findStimulus.first({ topicId: 2, stimulusId: 'stm_2' })],
  ['nextStimulusAt', () => api.nextStimulusAt.first({ now: 20 })],
  ['nextStimulusAt, of nothing', () => api.nextStimulusAt.first({ now: 99 })],
  ['nextExpiryAt', () => api.nextExpiryAt.first({ now: 1 })],
  ['listExpiredStimuli', () => api.listExpiredStimuli.all({ now: 20, limit: 9 })],
  [
    'listDueStimuli',
    () => api.listDueStimuli.all({ now: 30, afterDueAt: 0, afterId: '', limit: 9 }),
  ],
  [
    'listDueStimuli, after the last of them',
    () => api.listDueStimuli.all({ now: 30, afterDueAt: 30, afterId: 'stm_~', limit: 9 }),
  ],
  ['countLiveStimuli', () => api.countLiveStimuli.first(c1)],
  ['listStimuliWithoutKey', () => api.listStimuliWithoutKey.all({ limit: 9 })],
  [
    'insertStimulusKey',
    () => api.insertStimulusKey.changes({ ...c1, key: 'words 1', stimulusId: 'stm_1' }),
  ],
  [
    'insertStimulusKey, the same again',
    () => api.insertStimulusKey.changes({ ...c1, key: 'words 1', stimulusId: 'stm_1' }),
  ],
  ['listStimuliByKey', () => api.listStimuliByKey.all({ ...c1, key: 'words 1' })],
  ['deleteStimulusKeys', () => api.deleteStimulusKeys.changes({ stimulusId: 'stm_1' })],
  [
    'setStimulusClaimed',
    () =>
      api.setStimulusClaimed.changes({ stimulusId: 'stm_1', attempts: 1, daemonId: 'd', at: 21 }),
  ],
  ['listLostClaims', () => api.listLostClaims.all(lost)],
  ['listLostClaims, of a stale one', () => api.listLostClaims.all({ ...lost, daemonId: 'd' })],
  [
    'listLostClaims, of its own',
    () => api.listLostClaims.all({ ...lost, daemonId: 'd', staleBefore: 21 }),
  ],
  [
    'setStimulusDeferred',
    () =>
      api.setStimulusDeferred.changes({
        stimulusId: 'stm_1',
        dueAt: 22,
        attempts: 1,
        reason: 'failed',
        error: 'no',
      }),
  ],
  [
    'setStimulusDispatched',
    () =>
      api.setStimulusDispatched.changes({
        stimulusId: 'stm_2',
        messageId: 'msg_1',
        rootMessageId: 'msg_1',
        seq: 12,
        at: 31,
      }),
  ],
  [
    'setStimulusSettled',
    () =>
      api.setStimulusSettled.changes({
        ...settled,
        stimulusId: 'stm_1',
        state: 'dead_letter',
        reason: 'failed',
        seq: 13,
      }),
  ],
  [
    'setStimulusSettled, by another',
    () =>
      api.setStimulusSettled.changes({
        ...settled,
        stimulusId: 'stm_4',
        state: 'superseded',
        reason: 'superseded',
        byStimulusId: 'stm_5',
        seq: 14,
      }),
  ],
  ['listDispatchedStimuli', () => api.listDispatchedStimuli.all({ ...c1, limit: 9 })],
  ['listStimuli', () => api.listStimuli.all(pages)],
  ['listStimuli, of a state', () => api.listStimuli.all({ ...pages, state: 'pending' })],
  ['listStimuli, of a thread', () => api.listStimuli.all({ ...pages, rootMessageId: 'msg_1' })],
  ['listStimuli, before', () => api.listStimuli.all({ ...pages, before: 13, limit: 1 })],
  ['listLostWork', () => api.listLostWork.all({ newest: 9 })],
  [
    'setStimulusReplayed',
    () => api.setStimulusReplayed.changes({ stimulusId: 'stm_1', dueAt: 33 }),
  ],
  ['forgetEndedStimuli', () => api.forgetEndedStimuli.changes({ ...c1, keep: 1 })],
  ['forgetEndedStimuli, nothing', () => api.forgetEndedStimuli.changes({ ...c1, keep: 9 })],
  ['countLiveStimuli, one replayed', () => api.countLiveStimuli.first(c1)],
  ['putThreadWork', () => api.putThreadWork.changes(work)],
  ['putThreadWork, again', () => api.putThreadWork.changes({ ...work, followedUpAt: 12 })],
  [
    'putThreadWork, of another thread',
    () => api.putThreadWork.changes({ ...work, rootMessageId: 'msg_2', isOpen: 0 }),
  ],
  ['findThreadWork', () => api.findThreadWork.first(thread)],
  ['findThreadWork, none', () => api.findThreadWork.first({ ...c1, rootMessageId: 'msg_9' })],
  ['listThreadWork', () => api.listThreadWork.all({ ...c1, open: 0, before: '~', limit: 9 })],
  ['listThreadWork, open', () => api.listThreadWork.all({ ...c1, open: 1, before: '~', limit: 9 })],
  ['findInitiative', () => api.findInitiative.first({ ...c1, initiativeKey: 'Zoë' })],
  ['findInitiative, none', () => api.findInitiative.first({ ...c1, initiativeKey: 'zoë' })],
  ['countActiveRoots', () => api.countActiveRoots.first({ ...c1, since: 0 })],
  ['countActiveRoots, of late', () => api.countActiveRoots.first({ ...c1, since: 99 })],
  ['listRootPosts', () => api.listRootPosts.all({ ...c1, since: 0, limit: 9 })],
  [
    'listIdleWork',
    () => api.listIdleWork.all({ before: 99, asks: '%"defaultParticipationMode"%', limit: 9 }),
  ],
  [
    'listIdleWork, without the setting',
    () => api.listIdleWork.all({ before: 99, asks: '%"no"%', limit: 9 }),
  ],
  ['listOpenWork', () => api.listOpenWork.all({ topicId: 0, rootMessageId: '', limit: 9 })],
  ['listOpenWork, after', () => api.listOpenWork.all({ ...thread, limit: 9 })],
  [
    'setMessageSuperseded',
    () => api.setMessageSuperseded.changes({ ...c1, messageId: 'msg_1', by: 'msg_2' }),
  ],
  ['listBoundSchedules', () => api.listBoundSchedules.all({ limit: 9 })],
];
