import type { TaskExecutor, TaskKind } from '@stoa/core';
import type { InboxItem, Principal, Task } from '@stoa/protocol';
import {
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
  type StoreEngine,
} from '@stoa/testkit';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Metrics } from '../observe/metrics.js';
import type { HandlerPorts } from './handler.js';
import { createHandlers } from './handlers.js';
import { OriginGuard } from './origin-guard.js';
import { createServer, type ServerPorts } from './server.js';

const SQLITE = STORE_ENGINES.find(({ name }) => name === 'sqlite') as StoreEngine;

/** A kind that only this test has. */
const KETTLE: TaskKind = {
  kind: 'kettle',
  detailProblem: ({ litres }) => (typeof litres === 'number' ? undefined : 'litres is not a count'),
  atOnce: 2,
  whenFull: 'refuse',
  keepsFinished: 4,
  ownerEnded: 'stop',
  afterRestart: () => 'reattach',
  canRevive: false,
  refusesMessage: ({ detail }) => (detail['isBoiling'] === true ? 'it whistles' : undefined),
};

/** The fields of the answers that are checked one by one. */
interface Body {
  readonly code?: string;
  readonly detail?: unknown;
  readonly tasks?: readonly Task[];
}

class Kettles implements TaskExecutor {
  readonly received: string[] = [];
  stop(): Promise<void> {
    return Promise.resolve();
  }
  send(_: Task, { text }: { text: string }): Promise<void> {
    this.received.push(text);
    return Promise.resolve();
  }
  reattach(): Promise<void> {
    return Promise.resolve();
  }
  read(_: Task, { offset }: { offset: number }) {
    const text = 'bubble'.slice(offset);
    return Promise.resolve({ offset, nextOffset: 6, oldestOffset: 0, size: 6, text });
  }
}

describe('a fifth kind of task', () => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  let server: FastifyInstance;
  let sessionId: string;
  const kettles = new Kettles();

  beforeAll(async () => {
    world = await RuntimeWorld.open(SQLITE);
    daemon = await world.start({
      taskKinds: [KETTLE],
      taskExecutors: new Map([[KETTLE.kind, () => kettles]]),
    });
    const guard = new OriginGuard();
    guard.allow(['localhost']);
    const { core } = daemon;
    const ports = {
      core,
      guard,
      handlers: createHandlers({ core } as HandlerPorts),
      special: {},
      metrics: new Metrics(() => 0),
      log: pino({ level: 'silent' }),
      stopping: () => false,
    };
    server = createServer(ports as unknown as ServerPorts);
    sessionId = (await core.sessions.create(OWNER, { agentId: 'helper' })).sessionId;
  });
  afterAll(async () => {
    await server.close();
    await world.discard();
  });

  async function ask(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
  ): Promise<{ status: number; json: Body }> {
    const answer = await server.inject({
      method,
      url: path,
      headers: { host: 'localhost', authorization: 'Bearer owner-secret' },
      ...(body === undefined ? {} : { payload: body }),
    });
    return { status: answer.statusCode, json: answer.json<Body>() };
  }

  const boil = (litres: number): Promise<Task> =>
    daemon.core.tasks.create(sessionId, {
      kind: 'kettle',
      description: `${String(litres)} litres`,
      detail: { litres },
    });

  const notices = async (): Promise<InboxItem[]> => {
    const query = { kind: 'task_notice' as const, limit: 99 };
    return (await daemon.core.inbox.list(OWNER, sessionId, query)).items;
  };

  it('T-47 is listed, read, stopped and reported, and gets messages, like all others', async () => {
    const { taskId } = await boil(1);
    const second = await boil(2);
    await expect(boil(3)).rejects.toMatchObject({ code: 'too_many_tasks' });
    const listed = await ask('GET', '/v1/tasks?kind=kettle&status=running');
    expect(listed.json.tasks?.map((task) => task.taskId).sort()).toEqual(
      [taskId, second.taskId].sort(),
    );
    expect((await ask('GET', `/v1/tasks/${taskId}`)).json).toMatchObject({
      kind: 'kettle',
      detail: { litres: 1 },
      transcriptPath: `/tasks/${sessionId}/kettle-${taskId}.jsonl`,
    });
    const output = await ask('GET', `/v1/tasks/${taskId}/output?offset=2`);
    expect(output.json).toMatchObject({ text: 'bble', nextOffset: 6, isComplete: false });
    const sent = await ask('POST', `/v1/tasks/${taskId}/message`, { text: 'hurry' });
    expect([sent.status, kettles.received]).toEqual([202, ['hurry']]);
    await daemon.core.tasks.change(taskId, { detail: { isBoiling: true } });
    const refused = await ask('POST', `/v1/tasks/${taskId}/message`, {
      text: 'hurry',
    });
    expect([refused.status, refused.json.code]).toEqual([409, 'task_takes_no_message']);
    expect(refused.json.detail).toContain('it whistles');
    const tooLong = await ask('POST', `/v1/tasks/${taskId}/message`, { text: 'x'.repeat(65_537) });
    expect([tooLong.status, tooLong.json.code]).toEqual([400, 'invalid_request']);
    expect((await ask('POST', `/v1/tasks/${taskId}/stop`)).json).toMatchObject({
      status: 'cancelled',
      end: { by: 'human:owner' },
    });
    expect((await ask('POST', `/v1/tasks/${taskId}/stop`)).json.code).toBe('task_not_running');
    await daemon.core.tasks.settle(second.taskId, {
      status: 'completed',
      end: { cause: 'boiled' },
    });
    const reported = (await notices()).map(({ metadata }) => metadata['taskId']);
    expect(reported.sort()).toEqual([taskId, second.taskId].sort());
    const resumed = await ask('POST', `/v1/tasks/${taskId}/resume`);
    expect(resumed.json.code).toBe('task_not_resumable');
    const promoted = await ask('POST', `/v1/tasks/${taskId}/promote`);
    expect(promoted.json.code).toBe('task_not_foreground');
    expect((await ask('POST', `/v1/sessions/${sessionId}/promote`)).status).toBe(409);
    const third = await boil(3);
    const all = await ask('POST', `/v1/sessions/${sessionId}/tasks/stop`);
    expect(all.json.tasks?.map((task) => task.taskId)).toEqual([third.taskId]);
  });

  it('T-47 is refused if it is not registered, with the known kinds', async () => {
    const wanted = { kind: 'toaster', description: 'bread', detail: {} };
    await expect(daemon.core.tasks.create(sessionId, wanted)).rejects.toMatchObject({
      code: 'unknown_task_kind',
      message: expect.stringContaining('kettle') as string,
    });
    const bad = { kind: 'kettle', description: 'empty', detail: {} };
    await expect(daemon.core.tasks.create(sessionId, bad)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('hides the tasks of other people', async () => {
    const { taskId } = await boil(1);
    const eve: Principal = { kind: 'human', id: 'eve', owner: false, credentialId: 'crd_1' };
    await expect(daemon.core.tasks.stop(eve, taskId)).rejects.toMatchObject({ code: 'forbidden' });
    await daemon.core.tasks.stop(OWNER, taskId);
    const unread = await ask('GET', `/v1/tasks/tsk_${'0'.repeat(26)}`);
    expect([unread.status, unread.json.code]).toEqual([404, 'task_not_found']);
  });
});
