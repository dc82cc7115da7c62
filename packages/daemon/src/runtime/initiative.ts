import type { Initiative } from '@stoa/agent';
import type { Core } from '@stoa/core';
import { type Principal, StoaError } from '@stoa/protocol';

/** What a session brings about in its own name; one call happens once, however often it is tried. */
export function initiativeOf(core: () => Core): Initiative {
  return {
    async putStimulus({ run, callId, input }) {
      const { sessionId } = run.session;
      const { channelId = run.origin.channelId, threadRootMessageId, scope, ...rest } = input;
      if (channelId === undefined) {
        throw new StoaError('invalid_stimulus', 'You are in no channel: say which one is meant');
      }
      const here = channelId === run.origin.channelId ? run.origin.threadRootMessageId : undefined;
      const root = scope === 'thread' ? (threadRootMessageId ?? here) : threadRootMessageId;
      const by: Principal = { kind: 'session', id: sessionId, credentialId: 'session' };
      const request = {
        ...rest,
        scope,
        ...(root === undefined ? {} : { threadRootMessageId: root }),
        sourceKind: 'run',
        sourceRef: run.runId,
        metadata: { sessionId, runId: run.runId },
      };
      const key = `${run.runId}:${callId}`;
      const { stimuli, storeWait } = core();
      const put = () => stimuli.create(by, channelId, request, key);
      const { stimulusId } = await storeWait.run(put, run.signal);
      return `Put in as ${stimulusId}. The channel decides where and when it is posted.`;
    },
    async makeSchedule({ run, callId, input: { task, ...schedule } }) {
      const { runId, origin, session } = run;
      const request = {
        ...schedule,
        text: task,
        overlap: 'skip' as const,
        misfire: 'coalesce_once' as const,
      };
      const made = { sessionId: session.sessionId, runId, origin };
      const { schedules, storeWait } = core();
      const make = () => schedules.createInRun(made, request, `${runId}:${callId}`);
      const { scheduleId } = await storeWait.run(make, run.signal);
      return `Made as ${scheduleId}.`;
    },
  };
}
