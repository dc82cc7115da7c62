import { afterAll, describe, expect, it } from 'vitest';
import * as statements from '../index.js';
import type { Statement } from '../sql/statement.js';
import * as inbox from '../statements/inbox.js';
import * as leases from '../statements/leases.js';
import * as members from '../statements/members.js';
import * as messages from '../statements/messages.js';
import * as observations from '../statements/observations.js';
import * as ownership from '../statements/ownership.js';
import * as projects from '../statements/projects.js';
import * as runs from '../statements/runs.js';
import * as schedules from '../statements/schedules.js';
import * as sessions from '../statements/sessions.js';
import * as stimuli from '../statements/stimuli.js';
import * as work from '../statements/thread-work.js';
import * as turns from '../statements/turns.js';
import { openSqlite } from './binding/open.js';
import { SqliteStore } from './sqlite-store.js';

const db = openSqlite(':memory:');
new SqliteStore(db, { durability: 'relaxed' });
afterAll(() => db.close());

const planOf = ({ text }: Pick<Statement<object, unknown>, 'text'>): string[] =>
  db
    .prepare<null[], { detail: string }>(`EXPLAIN QUERY PLAN ${text.sqlite}`)
    .all(...text.sqliteNames.map(() => null))
    .map(({ detail }) => detail);

describe('every statement', () => {
  it('does not depend on a bound limit for its plan, which would prepare it again at every binding', () => {
    const texts = Object.values(statements).flatMap((known) =>
      typeof known === 'object' && 'text' in known && 'sqlite' in known.text
        ? [known.text.sqlite]
        : [],
    );
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((sql) => /\bLIMIT \?/.test(sql))).toEqual([]);
  });
});

/** What is done for each run, or every few seconds, must not take longer the longer a daemon has lived. */
describe('a frequent read', () => {
  it.each(
    Object.entries({
      findRun: runs.findRun,
      findQueuedRun: runs.findQueuedRun,

      listRunsOfSession: runs.listRunsOfSession,
      listUnownedWork: runs.listUnownedWork,
      countQueuedRuns: runs.countQueuedRuns,
      countWaitingItems: inbox.countWaitingItems,
      listExpiredItems: inbox.listExpiredItems,
      findSessionWork: ownership.findSessionWork,
      listHeldRuns: ownership.listHeldRuns,
      listChildSessions: sessions.listChildSessions,
      listOrphanedSessions: sessions.listOrphanedSessions,
      lockSession: sessions.lockSession,
      findTurn: turns.findTurn,
      listDueTurns: turns.listDueTurns,
      nextTurnAt: turns.nextTurnAt,
      listOpenTurns: turns.listOpenTurns,
      listDecisions: turns.listDecisions,
      listLiveLeases: leases.listLiveLeases,
      findLeaseOfRun: leases.findLeaseOfRun,
      findSpeaking: leases.findSpeaking,
      listSessionMembers: members.listSessionMembers,
      listProjectsOfActor: projects.listProjectsOfActor,
      listLinksOfChannel: projects.listLinksOfChannel,
      findMirroredElsewhere: projects.findMirroredElsewhere,
      listAuthorsInThread: messages.listAuthorsInThread,
      listAuthorsInChannel: messages.listAuthorsInChannel,
      findStimulus: stimuli.findStimulus,
      listStimuli: stimuli.listStimuli,
      countLiveStimuli: stimuli.countLiveStimuli,
      listStimuliByKey: stimuli.listStimuliByKey,
      listDispatchedStimuli: stimuli.listDispatchedStimuli,
      listDueStimuli: stimuli.listDueStimuli,
      listExpiredStimuli: stimuli.listExpiredStimuli,
      nextStimulusAt: stimuli.nextStimulusAt,
      nextExpiryAt: stimuli.nextExpiryAt,
      listLostClaims: stimuli.listLostClaims,
      forgetEndedStimuli: stimuli.forgetEndedStimuli,
      findObservationSource: observations.findObservationSource,
      findObservationSecret: observations.findObservationSecret,
      findObservationByProof: observations.findObservationByProof,
      countObservationsSince: observations.countObservationsSince,
      listObservations: observations.listObservations,
      forgetObservations: observations.forgetObservations,
      findThreadWork: work.findThreadWork,
      listThreadWork: work.listThreadWork,
      findInitiative: work.findInitiative,
      countActiveRoots: work.countActiveRoots,
      listRootPosts: work.listRootPosts,
      listOpenWork: work.listOpenWork,
      listDueSchedules: schedules.listDueSchedules,
      nextScheduleAt: schedules.nextScheduleAt,
    }),
  )('%s uses an index and never scans a table', (_, statement) => {
    const scans = planOf(statement).filter((step) => step.startsWith('SCAN'));
    // An index that holds only what is open stays small.
    const whole = scans.filter(
      (step) =>
        !/INDEX (runsOpen|sessionsByParent|turnsDue|stimuliDue|stimuliExpiring|stimuliClaimed|threadWorkOpen|schedulesDue)/.test(
          step,
        ),
    );
    expect(whole).toEqual([]);
  });

  it('work is searched among open runs, not among all sessions', () => {
    expect(planOf(runs.listUnownedWork)[0]).toMatch(/^SCAN r USING .*INDEX runsOpen/);
  });

  it('stimuli are searched among waiting ones, and work among open work', () => {
    expect(planOf(stimuli.listDueStimuli)[0]).toMatch(/INDEX stimuliDue/);
    expect(planOf(stimuli.listLostClaims)[0]).toMatch(/INDEX stimuliClaimed/);
    expect(planOf(work.listOpenWork)[0]).toMatch(/INDEX threadWorkOpen/);
    expect(planOf(work.listIdleWork).join('\n')).toMatch(/INDEX threadWorkOpen/);
  });

  it('turns are searched among open ones, and leases among active ones', () => {
    expect(planOf(turns.listOpenTurns)[0]).toMatch(/INDEX turnsOpen/);
    expect(planOf(turns.listDueTurns)[0]).toMatch(/INDEX turnsDue/);
    expect(planOf(leases.listLiveLeases)[0]).toMatch(/INDEX leasesLive/);
    expect(planOf(leases.listLeases).join('\n')).toMatch(/SEARCH l USING INDEX leasesLive/);
  });
});
