import { OWNER, STORE_ENGINES, type StoreEngine } from '@stoa/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENT } from '../subagents/agent-kind.js';
import { isEnded } from './lifecycle.js';
import { MONITOR } from './monitor/monitor-kind.js';
import { asSession, TaskStage } from './task-stage.fixture.js';

const SQLITE = STORE_ENGINES.find(({ name }) => name === 'sqlite') as StoreEngine;
const ENDS = ['completed', 'failed', 'cancelled', 'lost'] as const;
/** Like agents and monitors, with so few slots that none is free most of the time. */
const FEW_SLOTS = [
  { ...AGENT, kind: 'pair', atOnce: 2 },
  { ...MONITOR, kind: 'watch', atOnce: 3 },
];

const DETAIL = { command: 'make', agentId: 'helper' };

const which = fc.nat(40);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('create'),
      kind: fc.constantFrom('shell', 'watch', 'pair', 'pair'),
      inChild: fc.boolean(),
      which,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('settle'), end: fc.constantFrom(...ENDS), which }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('stop'), bySession: fc.boolean(), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause'), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resume'), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart'), which }) },
);

type Step = Readonly<Record<string, unknown>> & { readonly do: string; readonly which: number };

interface Created {
  readonly ids: string[];
  /** Stopped by their own session, which gets no notice. */
  readonly silent: Set<string>;
}

async function take(stage: TaskStage, created: Created, sessions: readonly string[], step: Step) {
  const { ids } = created;
  const taskId = ids[step.which % Math.max(1, ids.length)];
  if (step.do === 'create') {
    const sessionId = sessions[step['inChild'] === true ? 1 : 0] ?? '';
    try {
      ids.push((await stage.begin(sessionId, step['kind'] as string, { detail: DETAIL })).taskId);
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_tasks' });
    }
    return;
  }
  if (step.do === 'restart') {
    await stage.restart();
    return;
  }
  if (taskId === undefined) return;
  const before = await stage.get(taskId);
  switch (step.do) {
    case 'settle':
      await stage.settle(taskId, {
        status: step['end'] as (typeof ENDS)[number],
        end: { cause: 'exited' },
      });
      return;
    case 'stop': {
      const by = step['bySession'] === true ? asSession(before.sessionId) : OWNER;
      const stopping = stage.tasks.stop(by, taskId);
      if (isEnded(before.status)) {
        await expect(stopping).rejects.toMatchObject({ code: 'task_not_running' });
        return;
      }
      await stopping;
      if (by !== OWNER) created.silent.add(taskId);
      return;
    }
    case 'pause':
      await stage.tasks.change(taskId, { status: 'paused' });
      return;
    default:
      await stage.tasks.resume(OWNER, taskId).catch((error: unknown) => {
        expect((error as { code: string }).code).toMatch(/task_not_resumable|too_many_tasks/);
      });
  }
}

/** Every end in the logs of the sessions. */
async function endsOf(stage: TaskStage, sessions: readonly string[]) {
  const ends = new Map<string, { status: string; noticeItemId?: string }[]>();
  const revived = new Map<string, number>();
  for (const sessionId of sessions) {
    for (let after = 0; ; ) {
      const slice = await stage.daemon.core.readTopic(OWNER, `session:${sessionId}`, after, 200);
      for (const { type, body } of slice.entries) {
        if (type === 'background_task_ended') {
          const end = JSON.parse(body) as { taskId: string; status: string; noticeItemId?: string };
          ends.set(end.taskId, [...(ends.get(end.taskId) ?? []), end]);
        }
        if (type === 'background_task_changed') {
          const { taskId, change } = JSON.parse(body) as {
            taskId: string;
            change: { status?: string };
          };
          const before = ends.get(taskId)?.length ?? 0;
          const goesOn = change.status === 'running' || change.status === 'queued';
          if (before > 0 && goesOn) revived.set(taskId, before);
        }
      }
      const last = slice.entries.at(-1)?.seq;
      if (last === undefined || last >= slice.head) break;
      after = last;
    }
  }
  return { ends, revived };
}

describe('tasks with any sequence of operations', () => {
  it('T-1 T-24 T-28 each ends once with one notice, and slots are never exceeded or lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const stage = await TaskStage.open(SQLITE, FEW_SLOTS);
        try {
          const parent = await stage.session();
          const sessions = [parent, await stage.session(parent)];
          const created: Created = { ids: [], silent: new Set() };
          for (const taken of steps) {
            stage.world.clock.move(1);
            await take(stage, created, sessions, taken);
            await stage.tasks.tick();
            const { tasks } = await stage.tasks.list(OWNER, { limit: 200 });
            for (const { kind, atOnce: slots } of FEW_SLOTS) {
              const own = tasks.filter((task) => task.kind === kind);
              const running = own.filter(({ status }) => status === 'running').length;
              const queued = own.filter(({ status }) => status === 'queued').length;
              expect(running).toBeLessThanOrEqual(slots);
              if (queued > 0) expect(running).toBe(slots);
            }
          }
          const { ends, revived } = await endsOf(stage, sessions);
          for (const taskId of created.ids) {
            const task = await stage.get(taskId);
            const own = ends.get(taskId) ?? [];
            const lives = 1 + (revived.get(taskId) ?? 0);
            expect(own.length).toBeLessThanOrEqual(lives);
            expect(own.length).toBe(isEnded(task.status) ? lives : lives - 1);
            const last = own.at(-1);
            if (isEnded(task.status)) {
              expect(last?.status).toBe(task.status);
              expect(task.notice).toBe(last?.noticeItemId === undefined ? 'none' : 'sent');
              if (!created.silent.has(taskId)) expect(task.notice).toBe('sent');
            }
          }
          const sent: string[] = [];
          for (const sessionId of sessions) {
            sent.push(...(await stage.notices(sessionId)).map(({ itemId }) => itemId));
          }
          const expected = [...ends.values()]
            .flat()
            .flatMap(({ noticeItemId }) => noticeItemId ?? []);
          expect(sent.sort()).toEqual(expected.sort());
          expect(await stage.problems()).toEqual([]);
        } finally {
          await stage.world.discard();
        }
      }),
      { numRuns: 10, seed: 5 },
    );
  });
});
