import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Board, Member, Message, ProjectDetails, ProjectTask, Session } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  newPerson,
  refusalOf,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, ownerOf } from './stoa-command.js';

describe('projects, over HTTP and from the command line', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'stoa-projects-'));
  let daemon: TestDaemon;
  let owner: Caller;
  let ada: Caller;
  let run: ReturnType<typeof ownerOf>;
  let sessionId: string;

  beforeAll(async () => {
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
    ada = await newPerson(daemon, 'ada');
    run = ownerOf(daemon);
    const driver = { kind: 'script', script: 'otherwise: [{ emit: "It is done" }]' };
    expect((await owner.put('/v1/agents/maker', { driver })).status).toBe(200);
    const session = await owner.post<Session>('/v1/sessions', { agentId: 'maker', workspace });
    ({ sessionId } = session.json);
    for (const channelId of ['design', 'talk']) {
      expect((await owner.post('/v1/channels', { channelId, title: channelId })).status).toBe(201);
    }
    const key = { headers: { 'idempotency-key': 'site' } };
    const body = { projectId: 'site', displayName: 'Site', metadata: { a: 1 } };
    const made = await owner.post<ProjectDetails>('/v1/projects', body, key);
    expect(made.status, made.text).toBe(201);
    expect((await owner.post('/v1/projects', body, key)).json).toEqual(made.json);
    expect(refusalOf(await ada.post('/v1/projects', body))).toEqual([409, 'project_exists']);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(workspace, { recursive: true, force: true });
  });

  const members = async (channelId: string): Promise<string[]> =>
    (await owner.get<{ members: Member[] }>(`/v1/channels/${channelId}/members`)).json.members.map(
      ({ memberId }) => memberId,
    );

  it('C-51 C-52 links a channel with its members, keeps it from being deleted, and lets go', async () => {
    const added = await run(['project', 'member', 'site', sessionId, '--role', 'builder']);
    expect(added).toEqual({ code: 0, out: 'maker (maker) is a member of site.\n', err: '' });
    await run(['project', 'member', 'site', 'ada']);
    const linked = await run(['project', 'link', 'site', 'design', '--mirror', '--default']);
    expect(linked.out).toBe('site links design (for new tasks, with its members).\n');
    expect(await members('design')).toEqual(['owner', 'project:site:ada', 'project:site:maker']);
    expect(refusalOf(await owner.delete('/v1/channels/design'))).toEqual([409, 'channel_linked']);
    expect((await run(['channel', 'delete', 'design', '--yes'])).err).toContain(
      'unlink it first: stoa project unlink PROJECT design',
    );
    expect(refusalOf(await owner.post(`/v1/sessions/${sessionId}/end`))).toEqual([
      409,
      'session_in_project',
    ]);
    const kept = await owner.delete('/v1/channels/design/members/project:site:ada');
    expect(refusalOf(kept)).toEqual([409, 'member_of_project']);
    // Unlinking another channel than it links is refused; that which it links goes.
    const other = await owner.delete('/v1/projects/site/channels/talk');
    expect(refusalOf(other)).toEqual([400, 'channel_not_linked']);
    expect((await run(['project', 'unlink', 'site', 'design'])).code).toBe(0);
    expect(await members('design')).toEqual(['owner']);
  });

  it('starts a task in the name of the caller, and the assignee answers in that thread', async () => {
    await run(['project', 'link', 'site', 'talk', '--mirror', '--default']);
    const add = ['project', 'task', 'add', 'site', 'Build', 'it', '--assignee', 'maker'];
    const taskId = (await run([...add, '--description', 'Today'])).out.trim();
    const started = await ada.post<ProjectTask>(`/v1/projects/site/tasks/${taskId}/start`, {});
    expect(started.status, started.text).toBe(200);
    const root = started.json.discussion?.threadRootMessageId ?? '';
    const path = `/v1/channels/talk/messages?threadRootMessageId=${root}&after=0`;
    const answer = await until('the assignee answered', async () => {
      const { json: page } = await ada.get<{ messages: Message[] }>(path);
      return page.messages.find(({ author }) => author.kind === 'agent');
    });
    expect(answer).toMatchObject({
      author: { id: `session:${sessionId}`, displayName: 'maker' },
      inputItems: [{ text: 'It is done' }],
    });
    const kickoff = await ada.get<Message>(`/v1/messages/${root}`);
    expect(kickoff.json).toMatchObject({
      author: { kind: 'human', id: 'human:ada' },
      addressedMemberIds: ['project:site:maker'],
    });
    const update = ['project', 'task', 'update', 'site', taskId, '--status', 'completed'];
    const done = await json<ProjectTask>(run([...update, '--output', 'online', '--json']));
    expect(done).toMatchObject({ status: 'completed', output: 'online' });
    expect(done.latestRunId).toMatch(/^run_/);
    const listed = await run(['project', 'task', 'list', 'site', '--status', 'completed']);
    expect(listed.out).toMatch(new RegExp(`${taskId} +completed +maker +Build it`));
    expect((await run(['project', 'show', 'site'])).out).toContain('maker maker, builder');
    const events = await ada.get<{ events: { type: string }[] }>(
      '/v1/topics/project:site/events?limit=200',
    );
    expect(events.json.events.map(({ type }) => type).slice(-3)).toEqual([
      'task_created',
      'task_started',
      'task_updated',
    ]);
  });

  it('C-28 C-29 a board of a session is not shown by people, and nothing of the message is stored', async () => {
    const boards = `/v1/sessions/${sessionId}/boards`;
    const made = await owner.post<Board>(boards, { title: 'Plan', text: 'A wide door' });
    expect(made.status, made.text).toBe(201);
    const { boardId } = made.json;
    const revised = await owner.post<Board>(`${boards}/${boardId}/revisions`, { text: 'A window' });
    expect(revised.json.revisions.map(({ revision }) => revision)).toEqual([1, 2]);
    const { assetId = '' } = revised.json.revisions[1] ?? {};
    expect((await owner.get(`/v1/assets/${assetId}/raw`)).text).toBe('A window');
    const head = async () =>
      (await owner.get<{ headSeq: number }>('/v1/channels/talk')).json.headSeq;
    const before = await head();
    const inputItems = [{ type: 'board_reference', boardId, revision: 1 }];
    const shown = await owner.post('/v1/channels/talk/messages', { inputItems });
    expect(refusalOf(shown)).toEqual([400, 'board_without_session']);
    expect(await head()).toBe(before);
    expect(refusalOf(await owner.delete(`/v1/assets/${assetId}`))).toEqual([409, 'asset_in_use']);
    expect(refusalOf(await ada.get(boards))).toEqual([403, 'forbidden']);
    expect((await owner.delete(`${boards}/${boardId}`)).status).toBe(204);
    expect(refusalOf(await owner.get(`${boards}/${boardId}`))).toEqual([404, 'board_not_found']);
    expect((await owner.delete(`/v1/assets/${assetId}`)).status).toBe(204);
  });

  it('is found by words, status, member and channel, page by page', async () => {
    for (const name of ['alpha', 'beta']) {
      await ada.post('/v1/projects', { projectId: name, displayName: `The ${name}` });
    }
    const ids = async (query: string): Promise<string[]> => {
      const path = `/v1/projects?${query}`;
      const { json: page } = await owner.get<{ projects: { projectId: string }[] }>(path);
      return page.projects.map(({ projectId }) => projectId);
    };
    expect(await ids('query=the')).toEqual(['alpha', 'beta']);
    expect(await ids(`memberSessionId=${sessionId}`)).toEqual(['site']);
    expect(await ids('channelId=talk')).toEqual(['site']);
    await ada.patch('/v1/projects/beta', { status: 'paused' });
    expect(await ids('status=paused')).toEqual(['beta']);
    expect(await ids('limit=2')).toEqual(['alpha', 'beta']);
    expect(await ids('limit=2&after=beta')).toEqual(['site']);
    const listed = await run(['project', 'list', 'the', '--status', 'active', '--quiet']);
    expect(listed.out).toBe('alpha\n');
  });

  it('is changed by who may: its creator, its members, and who looks after the channel', async () => {
    const refusal = async (attempt: Promise<Parameters<typeof refusalOf>[0]>) =>
      refusalOf(await attempt);
    const bea = await newPerson(daemon, 'bea');
    expect(await refusal(bea.patch('/v1/projects/site', { status: 'paused' }))).toEqual([
      403,
      'forbidden',
    ]);
    const task = bea.post('/v1/projects/site/tasks', { title: 'Mine' });
    expect(await refusal(task)).toEqual([403, 'not_member']);
    // Who made a project cannot bring it into a channel of others.
    expect(await refusal(ada.put('/v1/projects/alpha/channels/talk', {}))).toEqual([
      403,
      'forbidden',
    ]);
    // Nor a session of others.
    const actorId = `session:${sessionId}`;
    expect(await refusal(ada.post('/v1/projects/alpha/members', { actorId }))).toEqual([
      403,
      'forbidden',
    ]);
    expect(await refusal(bea.get('/v1/projects/none'))).toEqual([404, 'project_not_found']);
    expect((await bea.post('/v1/projects/alpha/members', {})).status).toBe(200);
    const own = await bea.post<ProjectTask>('/v1/projects/alpha/tasks', { title: 'Mine' });
    expect(own.status).toBe(201);
    expect((await bea.delete(`/v1/projects/alpha/tasks/${own.json.taskId}`)).status).toBe(204);
    expect((await run(['project', 'delete', 'alpha', '--yes'])).out).toBe('alpha is deleted.\n');
    expect((await run(['project', 'show', 'alpha'])).err).toContain('stoa project list');
  });
});
