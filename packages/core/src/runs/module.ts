import type { DriverKind, PermissionRules, TerminalRunStatus } from '@stoa/protocol';
import { RUN_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { agents } from '../agents/module.js';
import { approvals } from '../approvals/module.js';
import { assets } from '../assets/module.js';
import { channels } from '../channels/module.js';
import { type LogEntry, nounIdOf } from '../kernel/entry.js';
import { on } from '../kernel/hooks.js';
import { type Committed, defineModule } from '../kernel/module.js';
import { memory } from '../memory/module.js';
import { SESSION_STOPPING } from '../sessions/context.js';
import { sessions } from '../sessions/module.js';
import { ChannelDrafts } from './channel-drafts.js';
import { completing } from './completing-driver.js';
import { Drafts } from './drafts.js';
import type { Driver } from './driver.js';
import { endAllRuns } from './end-run.js';
import { Ownership } from './ownership.js';
import { RUN_EVENTS } from './projection.js';
import { Runner } from './runner.js';
import { Runs } from './runs.js';

export interface RunPorts {
  readonly runtime: {
    readonly daemonId: string;
    /** Whether a daemon of that id used this data directory: then it has ended, no matter when it was last seen. */
    readonly wasHere: (daemonId: string) => boolean;
    readonly drivers: ReadonlyMap<DriverKind, Driver>;
    readonly configRules: PermissionRules;
  };
}

const BEAT_MS = 5_000;

/** Runs: executions of sessions by drivers, with their journal. */
export const runs = defineModule({
  name: 'runs',
  needs: [access, assets, agents, memory, sessions, channels, approvals],
  events: RUN_EVENTS,
  tables: { session: RUN_TABLES },
  create({ sessionContext: context, approvals, hub, timers, storeWait }, { runtime }: RunPorts) {
    const show: typeof hub.show = (topic, chunk) => {
      hub.show(topic, chunk);
    };
    const drafts = new Drafts(timers, show);
    const channelDrafts = new ChannelDrafts(timers, show);
    const ownership = new Ownership(context, runtime.daemonId, runtime.wasHere);
    const runner = new Runner({
      context,
      ownership,
      approvals,
      drafts,
      channelDrafts,
      drivers: completing(runtime.drivers, (agentId, workspace) =>
        storeWait.run(() => context.findAgent(agentId, workspace)),
      ),
      timers,
      configRules: runtime.configRules,
    });
    const ended = (
      { data: { runId } }: Committed<TerminalRunStatus>,
      commit: readonly LogEntry[],
    ): void => {
      channelDrafts.ended(runId, commit);
      runner.ended(runId);
    };
    const forget = ({
      topic,
    }: Committed<'session_cleared' | 'session_ended' | 'session_refreshed'>): void => {
      runner.forget(nounIdOf(topic));
    };
    return {
      services: { runs: new Runs(context), runner, ownership },
      drafts: (topic) => [...drafts.soFar(topic), ...channelDrafts.soFar(topic)],
      within: [on(SESSION_STOPPING, (session, reason) => endAllRuns(context, session, reason))],
      after: {
        queued: ({ topic }) => {
          runner.wake(nounIdOf(topic));
        },
        output_emitted: ({ data: { runId, items } }) => {
          channelDrafts.emitted(runId, items);
        },
        model_message: ({ data: { runId, parts } }) => {
          channelDrafts.messageEnded(runId, parts);
        },
        completed: ended,
        failed: ended,
        cancelled: ended,
        interrupted: ended,
        session_cleared: forget,
        session_ended: forget,
        session_refreshed: forget,
      },
      hint(topic) {
        if (!topic) runner.hint();
        else if (topic.kind === 'session') runner.hint(topic.id);
      },
      recover: () => ownership.join(),
      start: () => runner.poll(),
      ticks: [
        // Separate from other work: a daemon whose beat is late counts as gone, and others take over its runs.
        { everyMs: BEAT_MS, run: () => ownership.beat() },
        { everyMs: 5_000, run: () => runner.tick() },
      ],
      close: () => runner.stop(),
    };
  },
});
