import { LIMITS, type Principal, type ProjectTask, type Stamped } from '@stoa/protocol';
import { OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { parseEntry } from '../kernel/entry.js';
import { TurnStage } from '../turns/turn-stage.fixture.js';

const page = { limit: 200 };

describe.each(STORE_ENGINES)('projects on $name', (engine) => {
  let stage: TurnStage;
  const open = async (names: readonly string[] = []): Promise<void> => {
    stage = await TurnStage.open(engine, names);
    await stage.core.projects.create(OWNER, { projectId: 'p', displayName: 'Plan' });
  };
  afterEach(async () => {
    await stage.assertIntact();
    await stage.close();
  });

  const newSession = async (): Promise<string> =>
    (await stage.core.sessions.create(OWNER, { agentId: 'helper' })).sessionId;
  const add = (sessionId: string, memberId: string, projectId = 'p') =>
    stage.core.projects.upsertMember(OWNER, projectId, {
      actorId: `session:${sessionId}`,
      memberId,
      displayName: memberId.toUpperCase(),
    });
  const link = (request: object = { mirrorMembers: true }, projectId = 'p') =>
    stage.core.projects.link(OWNER, projectId, 'team', request);
  const memberIds = async (): Promise<string[]> =>
    (await stage.core.channels.members(OWNER, 'team')).map(({ memberId }) => memberId).sort();
  const newTask = (request: object = {}): Promise<ProjectTask> =>
    stage.core.projects.createTask(OWNER, 'p', { title: 'Do it', ...request });
  const start = (taskId: string, key?: string) =>
    stage.core.projects.startTask(OWNER, 'p', taskId, {}, key);
  const log = async (topic: string): Promise<Stamped[]> =>
    (await stage.core.readTopic(OWNER, topic, 0, 200)).entries.map(parseEntry);
  const code = (attempt: Promise<unknown>): Promise<unknown> =>
    attempt.then(
      () => 'it went through',
      (error: unknown) => (error as { code?: string }).code,
    );

  it('C-51 mirror their members under their own ids, follow changes, and remove only those', async () => {
    await open(['own']);
    const [a, b] = [await newSession(), await newSession()];
    await add(a, 'ann');
    await add(stage.sessionOf('own'), 'own-one');
    await link();
    expect(await memberIds()).toEqual(['own', 'owner', 'project:p:ann']);
    const members = await stage.core.channels.members(OWNER, 'team');
    expect(members.find(({ memberId }) => memberId === 'project:p:ann')).toMatchObject({
      memberKind: 'session',
      actorId: `session:${a}`,
      displayName: 'ANN',
      displayNameMode: 'manual',
      participationMode: 'manual_only',
    });
    // Joining, renaming and leaving are mirrored in the same commit.
    await add(b, 'ben');
    await stage.core.projects.upsertMember(OWNER, 'p', {
      actorId: `session:${b}`,
      displayName: 'Benjamin',
    });
    const ben = (await stage.core.channels.members(OWNER, 'team')).at(-1);
    expect(ben).toMatchObject({ memberId: 'project:p:ben', displayName: 'Benjamin' });
    const [renamed] = (await log('project:p')).slice(-1);
    const [seen] = (await log('channel:team')).slice(-1);
    expect([renamed?.type, seen?.type]).toEqual(['project_member_updated', 'member_updated']);
    await stage.core.projects.removeMember(OWNER, 'p', 'ben');
    expect(await memberIds()).toEqual(['own', 'owner', 'project:p:ann']);
    await stage.core.projects.unlink(OWNER, 'p', 'team');
    expect(await memberIds()).toEqual(['own', 'owner']);
  });

  it('C-51 do not mirror an actor that joined the channel directly, until it leaves', async () => {
    await open(['own']);
    await add(stage.sessionOf('own'), 'o');
    await link();
    await stage.core.channels.removeMember(OWNER, 'team', 'own');
    expect(await memberIds()).toEqual(['owner', 'project:p:o']);
    const remove = stage.core.channels.removeMember(OWNER, 'team', 'project:p:o');
    expect(await code(remove)).toBe('member_of_project');
    const rename = { actorId: `session:${stage.sessionOf('own')}`, displayName: 'Else' };
    expect(await code(stage.core.channels.upsertMember(OWNER, 'team', rename))).toBe(
      'member_of_project',
    );
    const taken = { memberId: 'project:p:mine', actorId: `session:${await newSession()}` };
    expect(await code(stage.core.channels.upsertMember(OWNER, 'team', taken))).toBe(
      'invalid_request',
    );
  });

  it('C-51 take over a member of another project that stops mirroring it', async () => {
    await open();
    const session = await newSession();
    await stage.core.projects.create(OWNER, { projectId: 'q', displayName: 'Other' });
    for (const projectId of ['p', 'q']) {
      await add(session, 'x', projectId);
      await link({ mirrorMembers: true }, projectId);
    }
    expect(await memberIds()).toEqual(['owner', 'project:p:x']);
    await stage.core.projects.delete(OWNER, 'p');
    expect(await memberIds()).toEqual(['owner', 'project:q:x']);
    await link({ mirrorMembers: false }, 'q');
    expect(await memberIds()).toEqual(['owner']);
    expect(await code(stage.core.projects.get(OWNER, 'p'))).toBe('project_not_found');
    const again = stage.core.projects.create(OWNER, { projectId: 'p', displayName: 'Again' });
    expect(await code(again)).toBe('project_exists');
    expect((await stage.core.sweeper.sweep()).erasedRows).toBe(4);
  });

  it('C-52 prevent that a linked channel is deleted', async () => {
    await open();
    await link({});
    expect(await code(stage.core.channels.delete(OWNER, 'team'))).toBe('channel_linked');
    expect(await stage.messages()).toEqual([]);
    await stage.core.projects.unlink(OWNER, 'p', 'team');
    await stage.core.channels.delete(OWNER, 'team');
  });

  it('refuse that a person ends a member session, and record the end of one that ends with its parent', async () => {
    await open();
    const parentSessionId = await newSession();
    const { sessionId } = await stage.core.sessions.create(OWNER, {
      agentId: 'helper',
      parentSessionId,
    });
    await add(sessionId, 'sub');
    expect(await code(stage.core.sessions.end(OWNER, sessionId))).toBe('session_in_project');
    await stage.core.sessions.end(OWNER, parentSessionId);
    const { members } = await stage.core.projects.get(OWNER, 'p');
    expect(members[1]).toMatchObject({ memberId: 'sub', sessionEndedAt: stage.world.clock.now() });
    expect((await log('project:p')).at(-1)).toMatchObject({ type: 'project_session_ended' });
    await link();
    const { taskId } = await newTask({ assigneeMemberId: 'sub' });
    expect(await code(start(taskId))).toBe('session_ended');
  });

  it('start a task with a message of the person, and its assignee answers in that thread', async () => {
    await open(['own']);
    await add(await newSession(), 'ann');
    await link();
    const { taskId } = await newTask({ description: 'Now', assigneeMemberId: 'ann' });
    const started = await start(taskId, 'key');
    const [message] = await stage.read();
    expect(message).toMatchObject({
      author: { kind: 'human', id: 'human:owner' },
      addressedMemberIds: ['project:p:ann'],
      inputItems: [{ type: 'text', text: 'Do it\n\nNow' }],
      metadata: { projectId: 'p', taskId },
    });
    const threadRootMessageId = message?.messageId ?? '';
    const { run } = await stage.next();
    expect(started).toMatchObject({
      status: 'in_progress',
      discussion: { channelId: 'team', threadRootMessageId },
      latestRunId: run.runId,
    });
    // The same key starts it once.
    expect(await start(taskId, 'key')).toEqual(started);
    expect(await code(start(taskId))).toBe('invalid_transition');
    await run.deliver();
    await run.context.journal.emitOutput([{ type: 'text', text: 'done' }]);
    run.complete();
    await stage.ended(run);
    expect(await stage.messages()).toEqual(['owner: Do it\n\nNow', 'ANN: done']);
    // A plain message does not start a `manual_only` member.
    const question = await stage.say('and now?', { addressedMemberIds: ['project:p:ann'] });
    expect((await stage.decisions(question.messageId))[0]?.candidates).toMatchObject([
      { memberId: 'project:p:ann', reason: 'manual_only' },
      { memberId: 'own', reason: 'others_selected' },
    ]);
    // Started again, it continues in its thread.
    await stage.core.projects.updateTask(OWNER, 'p', taskId, { status: 'open' });
    const again = await start(taskId);
    expect(again.discussion).toEqual(started.discussion);
    expect(again.latestRunId).not.toBe(started.latestRunId);
  });

  it('let only the assigned session report the progress of a task', async () => {
    await open();
    const [a, b] = [await newSession(), await newSession()];
    await add(a, 'ann');
    const { taskId } = await newTask({ assigneeMemberId: 'ann' });
    const as = (id: string): Principal => ({ kind: 'session', id, credentialId: 'session' });
    const { projects } = stage.core;
    const done = { status: 'completed', output: 'It is done' } as const;
    expect(await code(projects.updateTask(as(b), 'p', taskId, done))).toBe('project_not_found');
    await add(b, 'ben');
    expect(await code(projects.updateTask(as(b), 'p', taskId, done))).toBe('forbidden');
    expect(await code(projects.updateTask(as(a), 'p', taskId, { title: 'Less' }))).toBe(
      'forbidden',
    );
    expect(await projects.updateTask(as(a), 'p', taskId, done)).toMatchObject(done);
    const late = projects.updateTask(as(a), 'p', taskId, { status: 'in_progress' });
    expect(await code(late)).toBe('invalid_transition');
    expect((await projects.list(as(a), page)).projects).toHaveLength(1);
    // The tasks of a member that leaves become unassigned.
    await projects.removeMember(OWNER, 'p', 'ann');
    expect(await projects.task(OWNER, 'p', taskId)).not.toHaveProperty('assigneeMemberId');
    expect((await projects.list(as(a), page)).projects).toEqual([]);
  });

  it('keep tasks acyclic, and do not start blocked ones', async () => {
    await open();
    const { projects } = stage.core;
    await link();
    const first = await newTask({ assigneeMemberId: 'owner' });
    const second = await newTask({ blockedBy: [first.taskId], parentTaskId: first.taskId });
    const change = (request: object, taskId = first.taskId) =>
      code(projects.updateTask(OWNER, 'p', taskId, request));
    expect(await change({ blockedBy: [second.taskId] })).toBe('task_cycle');
    expect(await change({ parentTaskId: second.taskId })).toBe('task_cycle');
    expect(await change({ blockedBy: [first.taskId] })).toBe('task_cycle');
    expect(await change({ blockedBy: [`ptk_${'0'.repeat(26)}`] })).toBe('unknown_task');
    expect(await change({ assigneeMemberId: 'nobody' })).toBe('unknown_member');
    expect(await change({ status: 'in_progress' }, second.taskId)).toBe('task_blocked');
    expect(await code(start(second.taskId))).toBe('task_blocked');
    await projects.updateTask(OWNER, 'p', first.taskId, { status: 'completed' });
    expect(await code(start(second.taskId))).toBe('task_unassigned');
    await projects.deleteTask(OWNER, 'p', first.taskId);
    const left = await projects.task(OWNER, 'p', second.taskId);
    expect(left).toMatchObject({ blockedBy: [], status: 'open' });
    expect(left).not.toHaveProperty('parentTaskId');
    expect(await code(projects.task(OWNER, 'p', first.taskId))).toBe('task_not_found');
    await projects.update(OWNER, 'p', { status: 'paused' });
    expect(await code(start(second.taskId))).toBe('project_not_active');
  });

  it('have limits', async () => {
    await open();
    const { projects, channels } = stage.core;
    for (let n = 0; n <= LIMITS.linksPerProject; n++) {
      const channelId = `c-${String(n)}`;
      await channels.create(OWNER, { channelId, title: channelId });
      const linked = projects.link(OWNER, 'p', channelId, { defaultForNewTasks: true });
      if (n < LIMITS.linksPerProject) await linked;
      else expect(await code(linked)).toBe('limit_reached');
    }
    const { channelLinks } = await projects.get(OWNER, 'p');
    expect(channelLinks.filter(({ defaultForNewTasks }) => defaultForNewTasks)).toHaveLength(1);
  });
});
