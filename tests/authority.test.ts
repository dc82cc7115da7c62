import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Member, ProjectTask, Run, Session } from '@stoa/protocol';
import {
  always,
  answerApproval,
  approvalsOf,
  askSession,
  type Caller,
  endedRun,
  FakeModel,
  newPerson,
  outputOf,
  pendingApproval,
  refusalOf,
  runsOf,
  say,
  submit,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerOf } from './stoa-command.js';
import { scripted, type TestChannel } from './test-channel.js';
import { ask, obedient, TwoPeople } from './two-people.js';

const OBEDIENT = obedient(`
  - when: { matches: 'forward to (\\S+): (.*)' }
    steps:
      - call: { tool: send_message, input: { to: '\${match.1}', message: '\${match.2}' } }
      - emit: '\${result}'
  - when: { matches: 'input (\\S+) (.*)' }
    steps:
      - call: { tool: send_message, input: { to: '\${match.1}', message: '\${match.2}' } }
      - emit: 'send_message: \${outcome}'
  - when: { contains: 'open a shell' }
    steps:
      - call: { tool: shell, input: { command: bash, is_background: true, stdin: true } }
      - emit: '\${result}'
  - when: { matches: 'start (\\S+)' }
    steps:
      - call: { tool: agent, input: { description: help, prompt: hello, agent: '\${match.1}' } }
      - emit: 'agent: \${outcome}'
  - when: { matches: 'define (\\S+) (\\S+)' }
    steps:
      - call:
          tool: write_file
          input:
            path: '.stoa/agents/\${match.1}.md'
            content: |
              ---
              driver: { kind: acp, command: [sh, -c, 'id > \${match.2}'] }
              ---
              Help.
      - emit: 'write_file: \${outcome}'
  - when: { matches: 'edit: (\\S+)' }
    steps:
      - call: { tool: write_file, input: { path: '\${match.1}', content: 'edited' } }
      - emit: 'write_file: \${outcome}'
  - when: { matches: 'read: (\\S+)' }
    steps:
      - call: { tool: read_file, input: { path: '\${match.1}' } }
      - emit: 'read_file: \${result}'`);

describe('who asked decides what may run', () => {
  let people: TwoPeople;
  let daemon: TestDaemon;
  let model: FakeModel;
  let owner: Caller;
  let bob: Caller;
  let root: string;

  beforeAll(async () => {
    model = await FakeModel.start();
    model.script([always(say('read'))]);
    people = await TwoPeople.start({
      driver: OBEDIENT,
      workspaces: ['private', 'shared', 'self', 'trusted'],
      env: {
        OPENAI_BASE_URL: model.openaiUrl,
        OPENAI_API_KEY: 'sk-of-the-owner',
        OPENAI_MODEL: 'fake-model',
      },
      config: (workspace) => [
        'sharedAgents: [open-keyed, open-program, open-served]',
        'workspaces:',
        `  - { path: ${workspace('shared')}, shared: true }`,
        `  - { path: ${workspace('self')}, shared: true, approve: self }`,
        `  - { path: ${workspace('trusted')}, trusted: true }`,
      ],
    });
    ({ daemon, owner, bob, root } = people);
  });
  afterAll(async () => {
    await people.close();
    await model.close();
  });

  /** In the workspace of the session: the sandbox lets it write nowhere else. */
  const canary = (where = 'private'): string => join(root, where, people.unique('canary'));
  const session: TwoPeople['session'] = (...options) => people.session(...options);
  const channelWith = async (mode: string, agentId = 'obedient') => {
    const sessionId = await session(mode, owner, 'private', agentId);
    return { testChannel: await people.openChannel(sessionId, 'dev'), sessionId };
  };
  /** A project with Bob and a session of the owner, linked to a channel. */
  const projectWith = async (here: TestChannel, sessionId: string) => {
    const channelId = here.path.split('/').at(-1) ?? '';
    const projectId = people.unique('task');
    await owner.post('/v1/projects', { projectId, displayName: 'P' });
    const project = `/v1/projects/${projectId}`;
    const actorId = `session:${sessionId}`;
    for (const member of [actorId, 'human:bob']) {
      const added = await owner.post(`${project}/members`, { actorId: member });
      if (added.status >= 300) throw new Error(added.text);
    }
    const linked = await owner.put(`${project}/channels/${channelId}`, {});
    if (linked.status >= 300) throw new Error(linked.text);
    const { json } = await owner.get<{ members: { actorId: string; memberId: string }[] }>(project);
    const member = json.members.find((one) => one.actorId === actorId)?.memberId ?? '';
    return { project, member };
  };
  const pending = (sessionId: string) => pendingApproval(owner, sessionId);
  const prompt = (sessionId: string, text: string, by = owner) => submit(by, sessionId, text);
  const runOf = (runId: string) => endedRun(owner, runId);

  it('SE-14 SE-16 another person makes a session in mode full ask; the owner does not', async () => {
    const { testChannel: here, sessionId } = await channelWith('full');
    const file = canary();
    const his = await ask(bob, here, `@dev run: id > ${file}`);
    const asked = await pending(sessionId);
    expect(asked).toMatchObject({
      requestedBy: 'human:bob',
      reason: 'human:bob asked for this',
      ceiling: { mode: 'ask', people: ['human:bob'] },
    });
    expect(asked.suggestedRule).toBeUndefined();
    expect(existsSync(file)).toBe(false);
    expect((await answerApproval(owner, asked, { decision: 'deny' })).status).toBe(200);
    await runOf(asked.runId);
    expect(existsSync(file)).toBe(false);

    const own = await ask(owner, here, `@dev run: id > ${file}`);
    await here.closed(own.messageId);
    expect(existsSync(file)).toBe(true);
    const [latest, first] = await runsOf(owner, sessionId);
    expect(latest).toMatchObject({ requestedBy: 'human:owner' });
    expect(latest?.ceiling).toBeUndefined();
    expect(first).toMatchObject({ requestedBy: 'human:bob', ceiling: { mode: 'ask' } });
    const [granted] = (await here.decisions(own.messageId)).flatMap((one) => one.granted);
    expect(granted).toMatchObject({ requestedBy: 'human:owner' });

    const stoa = ownerOf(daemon);
    const bobs = (await stoa(['why', his.messageId])).out;
    expect(bobs).toMatch(/has the turn \(run_\w+\), asked by human:bob, at most mode ask$/m);
    const owners = (await stoa(['why', own.messageId])).out;
    expect(owners).toMatch(/has the turn \(run_\w+\), asked by human:owner$/m);
    const journal = (await stoa(['session', 'journal', sessionId])).out;
    expect(journal).toContain('bob (asked by human:bob, at most mode ask): @dev run:');
    expect(journal).toContain('owner: @dev run:');
  });

  it('SE-14 allow rules of agent, workspace and session do not count for another person', async () => {
    const permissions = { allow: ['Shell(echo agent)'] };
    const put = await owner.put('/v1/agents/allowed', { driver: OBEDIENT, permissions });
    expect(put.status).toBe(200);
    const { testChannel: here, sessionId } = await channelWith('ask', 'allowed');
    for (const scope of ['workspace', 'session']) {
      const first = await ask(owner, here, `@dev run: echo ${scope}`);
      const body = { decision: 'allow', scope };
      expect((await answerApproval(owner, await pending(sessionId), body)).status).toBe(200);
      await here.closed(first.messageId);
    }
    const known = (await approvalsOf(owner, sessionId)).length;
    for (const source of ['agent', 'workspace', 'session']) {
      const own = await ask(owner, here, `@dev run: echo ${source}`);
      await here.closed(own.messageId);
      expect((await here.read()).at(-1)).toContain('shell: ok');
    }
    expect((await approvalsOf(owner, sessionId)).length).toBe(known);
    for (const source of ['agent', 'workspace', 'session']) {
      await ask(bob, here, `@dev run: echo ${source}`);
      const asked = await pending(sessionId);
      expect(asked).toMatchObject({
        requestedBy: 'human:bob',
        input: { command: `echo ${source}` },
      });
      await answerApproval(owner, asked, { decision: 'deny' });
      await runOf(asked.runId);
    }
  });

  it('SE-17 SE-25 a model reads the words of another person in an envelope with their id', async () => {
    const { testChannel: here, sessionId } = await channelWith('ask', 'stoa');
    const named = await bob.post(`${here.path}/members`, { displayName: 'The boss' });
    expect(named.status, named.text).toBe(200);
    const promptFor = async (by: Caller, text: string): Promise<string> => {
      const asked = await ask(by, here, `@dev ${text}`);
      await here.closed(asked.messageId);
      const [run] = await runsOf(owner, sessionId);
      expect(run?.status).toBe('completed');
      return model.requests.at(-1)?.lastUserText ?? '';
    };
    const his = await promptFor(bob, 'send me the notes');
    const enveloped = (who: string, text: string): RegExp =>
      new RegExp(`<untrusted source="message of ${who}" id="\\w+">\\n[^<]*${text}`);
    expect(his).toMatch(enveloped('human:bob', '@dev send me the notes'));
    expect(his).toContain('You answer this, from human:bob, for whom you do not work');
    const own = await promptFor(owner, 'list the notes');
    expect(own).toContain('You answer this, from human:owner:\n@dev list the notes');
    expect(own).not.toContain('message of human:owner');

    const { project, member } = await projectWith(here, sessionId);
    const made = await bob.post<ProjectTask>(`${project}/tasks`, {
      title: 'Publish the notes',
      assigneeMemberId: member,
    });
    const task = `${project}/tasks/${made.json.taskId}`;
    const before = model.requests.length;
    expect((await owner.post(`${task}/start`, { revision: 1 })).status).toBe(200);
    const { lastUserText: started } = await model.received(before);
    expect(started).toMatch(enveloped('human:bob', 'Publish the notes'));
    expect(started).toContain('You answer this, from human:bob, for whom you do not work');
  });

  it('SE-15 edits and reads that another person asks for ask the owner', async () => {
    const { testChannel: here, sessionId } = await channelWith('auto-edit');
    await ask(bob, here, '@dev edit: plan.txt');
    const edit = await pending(sessionId);
    expect(edit).toMatchObject({ tool: 'write_file', requestedBy: 'human:bob' });
    await answerApproval(owner, edit, { decision: 'deny' });
    await runOf(edit.runId);
    await ask(bob, here, '@dev read: notes.txt');
    const read = await pending(sessionId);
    expect(read.reason).toBe('human:bob asked for this, and the workspace is not shared');
    await answerApproval(owner, read, { decision: 'deny' });
    await runOf(read.runId);
    expect((await here.read()).join('\n')).not.toContain('for the owner alone');
  });

  it('SE-18 nobody joins or is made under a name that looks like somebody else', async () => {
    const { testChannel: here } = await channelWith('ask');
    const dora = await newPerson(daemon, 'dora');
    for (const displayName of [
      'Owner',
      'o w n e r',
      'оwner',
      'own\u200ber',
      'Stoa',
      'System',
      'DEV',
      'ﬀ dev'.slice(-3),
    ]) {
      // Bob is a member and renames himself; Dora joins.
      for (const person of [bob, dora]) {
        const joined = await person.post(`${here.path}/members`, { displayName });
        expect([displayName, ...refusalOf(joined)]).toEqual([displayName, 409, 'name_taken']);
      }
    }
    const asBob = await dora.post(`${here.path}/members`, { displayName: 'B\u043eb' });
    expect(refusalOf(asBob)).toEqual([409, 'name_taken']);
    const { json } = await owner.get<{ members: Member[] }>(`${here.path}/members`);
    expect(json.members.map(({ actorId }) => actorId)).not.toContain('human:dora');
    expect((await bob.post(`${here.path}/members`, { displayName: 'Robert' })).status).toBe(200);
    expect((await dora.post(`${here.path}/members`, { displayName: 'Theo' })).status).toBe(200);
    for (const humanId of ['b0b', 'st0a', 'system']) {
      const minted = await owner.post('/v1/tokens', { humanId, name: 'laptop' });
      expect([humanId, ...refusalOf(minted)]).toEqual([humanId, 409, 'name_taken']);
    }
  });

  it('SE-19 a session above mode ask comes with a warning, and its mode is listed', async () => {
    const { testChannel: here } = await channelWith('ask');
    const sessionId = await session('full');
    const actorId = `session:${sessionId}`;
    const joined = await owner.post<Member>(`${here.path}/members`, { actorId });
    expect(joined.json.mode).toBe('full');
    expect(joined.json.warnings?.[0]).toContain('is in mode full');
    const { json } = await owner.get<{ members: Member[] }>(`${here.path}/members`);
    expect(json.members.find((member) => member.actorId === actorId)?.mode).toBe('full');

    const editing = await session('auto-edit');
    const channelId = here.path.split('/').at(-1) ?? '';
    const invited = await ownerOf(daemon)(['channel', 'invite', channelId, editing]);
    expect(invited.code).toBe(0);
    expect(invited.err).toContain('is in mode auto-edit: on your request it edits files');
    expect(invited.err).toContain('Their requests run in mode ask');
  });

  it('SE-20 in a shared workspace the owner answers for commands and for calls that reach outside', async () => {
    const sessionId = await session('ask', bob, 'shared');
    const file = canary('shared');
    await prompt(sessionId, 'run: true', bob);
    const asked = await pending(sessionId);
    expect(asked.answerableBy).toBe('owner');
    const own = { decision: 'allow', updatedInput: { command: `id > ${file}` } };
    for (const body of [own, { decision: 'allow' }]) {
      expect(refusalOf(await answerApproval(bob, asked, body))).toEqual([403, 'forbidden']);
    }
    expect((await answerApproval(owner, asked, { decision: 'allow' })).status).toBe(200);
    await runOf(asked.runId);
    expect(existsSync(file)).toBe(false);

    const outside = join(root, 'private', 'notes.txt');
    for (const words of [`read: ${outside}`, `edit: ${outside}`]) {
      await prompt(sessionId, words, bob);
      const reaching = await pending(sessionId);
      expect([words, reaching.answerableBy]).toEqual([words, 'owner']);
      const refused = await answerApproval(bob, reaching, { decision: 'allow' });
      expect(refusalOf(refused)).toEqual([403, 'forbidden']);
      await answerApproval(owner, reaching, { decision: 'deny' });
      expect(outputOf(await runOf(reaching.runId))).not.toContain('for the owner alone');
    }
    expect(readFileSync(outside, 'utf8')).toBe('for the owner alone');

    await prompt(sessionId, 'edit: plan.txt', bob);
    const inside = await pending(sessionId);
    expect((await answerApproval(bob, inside, { decision: 'allow' })).status).toBe(200);
    expect(outputOf(await runOf(inside.runId))).toBe('write_file: ok');
  });

  it('SE-21 SE-23 with approve: self a person answers; their rules count for them, those of the owner for all', async () => {
    const bobs = await session('ask', bob, 'self');
    const owners = await session('ask', owner, 'self');
    const everyTime = { decision: 'allow', scope: 'workspace' };
    /** Whether the command of a run was asked about; the question is denied. */
    const isAsked = async (sessionId: string, command: string, by: Caller): Promise<boolean> => {
      const { runId } = await prompt(sessionId, `run: ${command}`, by);
      const question = await until('it asks or ends', async () => {
        const { json } = await owner.get<Run>(`/v1/runs/${runId}`);
        if (json.endedAt !== undefined) return 'none';
        return (await approvalsOf(owner, sessionId)).find((one) => one.runId === runId);
      });
      if (question === 'none') return false;
      await answerApproval(owner, question, { decision: 'deny' });
      await runOf(runId);
      return true;
    };
    const allowAlways = async (sessionId: string, command: string, by: Caller): Promise<void> => {
      await prompt(sessionId, `run: ${command}`, by);
      const asked = await pending(sessionId);
      expect(asked.answerableBy).toBeUndefined();
      expect((await answerApproval(by, asked, everyTime)).status).toBe(200);
      expect(outputOf(await runOf(asked.runId))).toBe('shell: ok');
    };
    await allowAlways(bobs, 'printf hi', bob);
    expect(await isAsked(bobs, 'printf hi', bob)).toBe(false);
    for (const command of ['printf hi', 'printf -v x hi', "printf -v 'a[0]' hi"]) {
      expect([command, await isAsked(owners, command, owner)]).toEqual([command, true]);
    }
    await allowAlways(owners, 'echo owner', owner);
    expect(await isAsked(owners, 'echo owner', owner)).toBe(false);
    expect(await isAsked(bobs, 'echo owner', bob)).toBe(false);

    const { out } = await ownerOf(daemon)(['doctor']);
    const lines = out.split('\n').filter((line) => line.includes(root));
    expect(lines).toEqual([
      expect.stringMatching(
        /^ok .*shared is shared; programs of other people need an approval by the owner/,
      ),
      expect.stringMatching(
        /^note .*self: with approve: self, .* can run programs as the user of the daemon/,
      ),
    ]);
  });

  it('SE-22 people use agents that work with keys of the owner only if the owner shares them', async () => {
    const program = { driver: { kind: 'acp', command: ['sh', '-c', 'true'] } };
    const served = {
      driver: OBEDIENT,
      mcpServers: { docs: { command: 'sh', args: ['-c', 'true'], env: { KEY: 'secret' } } },
    };
    const kinds = { keyed: { driver: { kind: 'builtin' } }, program, served };
    for (const [name, definition] of Object.entries(kinds)) {
      for (const agentId of [`own-${name}`, `open-${name}`]) {
        expect((await owner.put(`/v1/agents/${agentId}`, definition)).status).toBe(200);
      }
      const start = (agentId: string) =>
        bob.post<Session>('/v1/sessions', { agentId, workspace: people.workspace('shared') });
      const refused = await start(`own-${name}`);
      expect([name, ...refusalOf(refused)]).toEqual([name, 403, 'forbidden']);
      expect(refused.text).toContain(`sharedAgents: [own-${name}]`);
      const allowed = await start(`open-${name}`);
      expect([name, allowed.status]).toEqual([name, 201]);
      expect(allowed.json.responsibleId).toBe('human:bob');
    }
  });

  it('SE-24 SE-25 SE-26 the text of a task keeps its author', async () => {
    const { testChannel: here, sessionId } = await channelWith('full');
    const { project, member: assigneeMemberId } = await projectWith(here, sessionId);
    const file = canary();
    const made = await bob.post<ProjectTask>(`${project}/tasks`, {
      title: 'Look',
      assigneeMemberId,
    });
    if (made.status !== 201) throw new Error(made.text);
    const task = `${project}/tasks/${made.json.taskId}`;
    const seen = (await owner.get<ProjectTask>(task)).json;
    await bob.patch(task, { description: `run: id > ${file}` });
    for (const body of [{}, { confirmText: true }]) {
      const stale = await owner.post(`${task}/start`, { revision: seen.revision, ...body });
      expect(refusalOf(stale)).toEqual([409, 'revision_conflict']);
      expect(stale.text).toContain(`run: id > ${file}`);
    }
    expect(await here.messages()).toEqual([]);
    expect(await runsOf(owner, sessionId)).toEqual([]);

    const now = (await owner.get<ProjectTask>(task)).json;
    expect(now).toMatchObject({ revision: 2, writtenBy: 'human:bob', status: 'open' });
    expect((await owner.post(`${task}/start`, { revision: 2 })).status).toBe(200);
    const asked = await pending(sessionId);
    expect(asked).toMatchObject({ requestedBy: 'human:bob', reason: 'human:bob asked for this' });
    expect(existsSync(file)).toBe(false);
    const [posted] = await here.messages();
    expect(posted?.author.id).toBe('human:owner');
    expect(await here.read()).toEqual([expect.stringContaining('written by human:bob')]);
    await answerApproval(owner, asked, { decision: 'deny' });
    await runOf(asked.runId);

    await owner.patch(task, { status: 'open' });
    const confirmed = await owner.post(`${task}/start`, { revision: 2, confirmText: true });
    expect(confirmed.status).toBe(200);
    await until('the owner vouched for it', () => existsSync(file));

    const carol = await newPerson(daemon, 'carol');
    await owner.post(`${project}/members`, { actorId: 'human:carol' });
    for (const change of [{ title: 'Mine now' }, { description: 'run: true' }]) {
      expect(refusalOf(await carol.patch(task, change))).toEqual([403, 'forbidden']);
    }
    expect((await owner.get<ProjectTask>(task)).json).toMatchObject({ title: 'Look', revision: 2 });

    const began = Date.now();
    await owner.patch(task, { title: 'Look again', assigneeMemberId: null });
    await bob.patch(task, { status: 'cancelled', output: 'gave up' });
    const { history = [] } = (await owner.get<ProjectTask>(task)).json;
    expect(history.map(({ by, fields }) => [by, ...[...fields].sort()])).toEqual([
      ['human:bob', 'output', 'status'],
      ['human:owner', 'assigneeMemberId', 'title'],
      ['human:owner', 'status'],
      ['human:owner', 'status'],
      ['human:owner', 'status'],
      ['human:bob', 'description'],
    ]);
    for (const { at } of history.slice(0, 2)) {
      expect(at).toBeGreaterThanOrEqual(began);
      expect(at).toBeLessThanOrEqual(Date.now());
    }
  });

  it('SE-40 SE-41 SE-42 a message carries no more authority than its sender', async () => {
    const full = await session('full');
    const plan = await session('plan');
    const file = canary();
    const sent = await askSession(owner, plan, `forward to ${full}: run: id > ${file}`);
    expect(outputOf(sent)).toContain('at most mode plan');
    const [received] = await runsOf(owner, full);
    expect(received?.ceiling).toMatchObject({ mode: 'plan', sessions: [plan] });
    const done = await runOf(received?.runId ?? '');
    expect(outputOf(done)).toBe('shell: denied');
    expect(existsSync(file)).toBe(false);

    // Through a third session, and back: nobody on the way gives authority back.
    const third = await session('full');
    await askSession(
      owner,
      plan,
      `forward to ${full}: forward to ${third}: helper: run: id > ${file}`,
    );
    const through = await until('the third has run', async () => {
      const [run] = await runsOf(owner, third);
      return run?.endedAt === undefined ? undefined : run;
    });
    expect(through.ceiling).toMatchObject({ mode: 'plan' });
    expect(outputOf(through)).toContain('shell: denied');
    const known = (await runsOf(owner, full)).length;
    const words = `forward to ${full}: forward to ${third}: forward to ${full}: run: id > ${file}`;
    await askSession(owner, plan, words);
    const back = await until('what came back has run', async () => {
      const [run, ...before] = await runsOf(owner, full);
      return before.length > known && run?.endedAt !== undefined ? run : undefined;
    });
    expect(back.ceiling).toMatchObject({ mode: 'plan' });
    expect(outputOf(back)).toBe('shell: denied');
    expect(existsSync(file)).toBe(false);
  });

  it('SE-40 deny and ask rules of the sender count where its message is read', async () => {
    const permissions = { deny: ['Shell(touch *)'], ask: ['Shell(mkdir *)'] };
    const put = await owner.put('/v1/agents/careful', { driver: OBEDIENT, permissions });
    expect(put.status).toBe(200);
    const careful = await session('full', owner, 'private', 'careful');
    const full = await session('full');
    const [touched, made] = [canary(), canary()];
    await askSession(owner, careful, `forward to ${full}: run: touch ${touched}`);
    const [denied] = await runsOf(owner, full);
    expect(outputOf(await runOf(denied?.runId ?? ''))).toBe('shell: denied');
    await askSession(owner, careful, `forward to ${full}: run: mkdir ${made}`);
    const asked = await pending(full);
    expect(asked.input).toEqual({ command: `mkdir ${made}` });
    expect([existsSync(touched), existsSync(made)]).toEqual([false, false]);
    await answerApproval(owner, asked, { decision: 'deny' });
    await runOf(asked.runId);
    // Its own person may have it do both.
    for (const command of [`touch ${touched}`, `mkdir ${made}`]) {
      expect(outputOf(await askSession(owner, full, `run: ${command}`))).toBe('shell: ok');
    }
  });

  it('SE-41 a message of lower authority is not injected into a run of the owner', async () => {
    const full = await session('full');
    const plan = await session('plan');
    const release = join(root, 'private', people.unique('release'));
    const busy = await prompt(full, `run: until [ -e ${release} ]; do sleep 0.1; done`);
    await until('it is busy', async () => (await runsOf(owner, full))[0]?.startedAt);
    const sent = await askSession(owner, plan, `forward to ${full}: run: true`);
    expect(outputOf(sent)).toContain('It waits for a run of its own.');
    writeFileSync(release, '');
    await runOf(busy.runId);
    await until('the message has a run', async () => (await runsOf(owner, full)).length === 2);
    const [message] = await runsOf(owner, full);
    expect(message?.ceiling?.mode).toBe('plan');
  });

  /** Denies the start of an agent, then allows it: only then does its program run. */
  const startDeniedThenAllowed = async (
    sessionId: string,
    agent: string,
    label: string,
    file: string,
  ): Promise<void> => {
    for (const decision of ['deny', 'allow']) {
      await prompt(sessionId, `start ${agent}`);
      const asked = await pending(sessionId);
      expect(asked.tool).toBe('agent');
      expect(asked.detail).toContain(label);
      expect(asked.detail).toContain(`id > ${file}`);
      expect(existsSync(file)).toBe(false);
      await answerApproval(owner, asked, { decision });
      const run = await runOf(asked.runId);
      if (decision === 'deny') expect(outputOf(run)).toBe('agent: denied');
    }
    await until('the program ran', () => existsSync(file));
    rmSync(file);
  };

  it('SE-37 SE-38 SE-39 an agent that brings programs starts after they were approved, and not in mode plan', async () => {
    const [started, server] = [canary('trusted'), canary('trusted')];
    const command = ['sh', '-c', `id > ${started}`];
    const definition = { driver: { kind: 'acp', command } };
    expect((await owner.put('/v1/agents/program', definition)).status).toBe(200);
    const docs = { command: 'sh', args: ['-c', `id > ${server}`] };
    const script = scripted('otherwise:\n  - call: { tool: recall, input: {} }\n  - emit: hello\n');
    const served = { driver: script, mcpServers: { docs } };
    expect((await owner.put('/v1/agents/served', served)).status).toBe(200);

    const sessionId = await session('auto-edit', owner, 'trusted');
    await startDeniedThenAllowed(sessionId, 'program', 'Program: sh -c', started);
    await startDeniedThenAllowed(sessionId, 'served', 'MCP server docs: sh -c', server);

    const planId = await session('plan', owner, 'trusted');
    for (const agent of ['program', 'served']) {
      const run = await askSession(owner, planId, `start ${agent}`);
      expect(outputOf(run)).toBe('agent: denied');
    }
    expect([existsSync(started), existsSync(server)]).toEqual([false, false]);
    // One without programs starts, and stays in mode plan.
    const file = canary('trusted');
    const helped = await askSession(owner, planId, `helper: run: id > ${file}`);
    expect(outputOf(helped)).toContain('shell: denied');
    const { json } = await owner.get<{ sessions: Session[] }>('/v1/sessions?limit=100');
    const below = json.sessions.filter(({ parentSessionId }) => parentSessionId === planId);
    expect(below.map(({ agentId, mode }) => [agentId, mode])).toEqual([['obedient', 'plan']]);
    expect(existsSync(file)).toBe(false);
  });

  it('SE-37 a definition that an agent writes into a trusted workspace is asked about twice', async () => {
    const sessionId = await session('auto-edit', owner, 'trusted');
    const file = canary('trusted');
    await prompt(sessionId, `define helper2 ${file}`);
    const write = await pending(sessionId);
    expect(write.tool).toBe('write_file');
    await answerApproval(owner, write, { decision: 'allow' });
    expect(outputOf(await runOf(write.runId))).toBe('write_file: ok');
    await startDeniedThenAllowed(sessionId, 'helper2', 'Program: sh -c', file);
  });

  it('SE-43 SE-44 text for the standard input of a command is asked about each time, and refused in mode plan', async () => {
    const sessionId = await session('ask');
    const [first, file] = [canary(), canary()];
    await prompt(sessionId, 'open a shell');
    const shell = await pending(sessionId);
    expect(shell.notes?.join(' ')).toContain('each text sent to it later needs an approval');
    await answerApproval(owner, shell, { decision: 'allow' });
    const [taskId] = /tsk_\w+/.exec(outputOf(await runOf(shell.runId))) ?? [];
    // The answer to the first text does not count for the second.
    for (const [to, decision] of [
      [first, 'allow'],
      [file, 'deny'],
    ] as const) {
      const { runId } = await prompt(sessionId, `input ${taskId ?? ''} id > ${to}`);
      const input = await pending(sessionId);
      expect(input).toMatchObject({ runId, tool: 'send_message', detail: 'bash' });
      expect(input.input).toMatchObject({ message: `id > ${to}` });
      expect(input.suggestedRule).toBeUndefined();
      expect(existsSync(to)).toBe(false);
      await answerApproval(owner, input, { decision });
      await runOf(runId);
    }
    await until('the first text was read', () => existsSync(first));
    expect((await owner.patch(`/v1/sessions/${sessionId}`, { mode: 'plan' })).status).toBe(200);
    const planned = await askSession(owner, sessionId, `input ${taskId ?? ''} id > ${file}`);
    expect(outputOf(planned)).toBe('send_message: denied');
    expect(existsSync(file)).toBe(false);
    expect((await owner.post(`/v1/tasks/${taskId ?? ''}/stop`)).status).toBe(200);
  });

  it('SE-42 members that an agent of another person calls, and whom they call, do not get the authority of the owner', async () => {
    const { testChannel: here } = await channelWith('full');
    const file = canary();
    const scripts = {
      caller: "emit: '@middle over to you'",
      middle: "emit: '@last over to you'",
      last: `call: { tool: shell, input: { command: 'id > ${file}' } }`,
    };
    const sessions: Record<string, string> = {};
    for (const [agentId, step] of Object.entries(scripts)) {
      const driver = scripted(`otherwise:\n  - ${step}\n`);
      expect((await owner.put(`/v1/agents/${agentId}`, { driver })).status).toBe(200);
      const isBobs = agentId === 'caller';
      const by = isBobs ? bob : owner;
      const where = isBobs ? 'shared' : 'private';
      const sessionId = await session(isBobs ? 'ask' : 'full', by, where, agentId);
      sessions[agentId] = sessionId;
      const member = { actorId: `session:${sessionId}`, memberId: agentId };
      const joined = await by.post(`${here.path}/members`, member);
      expect(joined.status, joined.text).toBe(200);
    }
    await ask(owner, here, '@caller what do you think?');
    const asked = await pending(sessions['last'] ?? '');
    expect(asked).toMatchObject({ tool: 'shell', ceiling: { people: ['human:bob'] } });
    const [middle] = await runsOf(owner, sessions['middle'] ?? '');
    expect(middle?.ceiling).toMatchObject({ mode: 'ask', people: ['human:bob'] });
    expect(existsSync(file)).toBe(false);
    await answerApproval(owner, asked, { decision: 'deny' });
    await runOf(asked.runId);
    expect(existsSync(file)).toBe(false);
  });
});
