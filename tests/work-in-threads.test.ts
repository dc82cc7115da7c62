import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ChannelEvent,
  type Lease,
  type Member,
  type Message,
  type ObservationSourceWithSecret,
  type Run,
  type SessionEvent,
  type Stamped,
  type Stimulus,
  StimulusKind,
  type Task,
  type ThreadWork,
} from '@stoa/protocol';
import {
  type Caller,
  call,
  callerOf,
  FAKE_AGENT,
  FakeModel,
  gate,
  type ModelRequest,
  say,
  startDaemon,
  type TestDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scripted, TestChannel } from './test-channel.js';

describe('work in threads', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let model: FakeModel;
  let workspace: string;
  let channelCount = 0;

  beforeAll(async () => {
    workspace = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-work-')));
    model = await FakeModel.start({ key: 'sk-work' });
    daemon = await startDaemon({
      config: [
        'model: open/fake-model',
        'providers:',
        `  open: { kind: openai, baseUrl: ${model.openaiUrl}, apiKey: sk-work }`,
      ].join('\n'),
    });
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    await model.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  /** Starts it again with a clock that is two minutes ahead. */
  const restart = async (): Promise<void> => {
    await daemon.stop();
    const { home } = daemon;
    daemon = await startDaemon({ home, env: { NODE_OPTIONS: TWO_MINUTES_AHEAD } });
    owner = callerOf(daemon.url, daemon.token);
  };

  const newRoom = (policy: object = {}): Promise<TestChannel> => {
    channelCount += 1;
    return TestChannel.open(owner, {
      channelId: `work-${String(channelCount)}`,
      policy,
      workspace,
    });
  };
  const rival = scripted('otherwise: [{ emit: "I was next" }]\nturns: []');

  it('AC-18 the lease of an active run is renewed, although another agent waits', async () => {
    const testChannel = await newRoom({
      leaseTimeoutMs: 1_500,
      silenceLimitMs: 2_000,
      memberCooldownMs: 0,
    });
    const program = { kind: 'acp', command: [process.execPath, FAKE_AGENT] };
    await testChannel.invite(`thinker-${String(channelCount)}`, program);
    await testChannel.invite(`z-next-${String(channelCount)}`, rival);
    const { messageId } = await testChannel.post('!think 5000\n!say Thought through');
    await until('it answers', async () =>
      (await testChannel.read()).some((line) => /^thinker.*: Thought/.test(line)),
    );
    const renewals = (await testChannel.decisions(messageId)).flatMap(({ renewed }) => renewed);
    expect(renewals.length).toBeGreaterThan(1);
    const [first] = await testChannel.outcomes(messageId);
    expect(first).toEqual([`thinker-${String(channelCount)}`, 'spoke']);
  });

  it('AC-18 a tool that runs keeps the turn of its run', async () => {
    const testChannel = await newRoom({
      leaseTimeoutMs: 1_500,
      silenceLimitMs: 1_500,
      memberCooldownMs: 0,
    });
    const script = `turns:
  - steps:
      - call: { tool: shell, input: { command: 'timeout 4 tail -f /dev/null; true' } }
      - emit: Slept well.`;
    await testChannel.invite(`sleeper-${String(channelCount)}`, scripted(script), { mode: 'full' });
    await testChannel.invite(`z-next-${String(channelCount)}`, rival);
    const { messageId } = await testChannel.post('anybody?');
    await until('it answers', async () =>
      (await testChannel.read()).some((line) => /Slept/.test(line)),
    );
    const [first] = await testChannel.outcomes(messageId);
    expect(first).toEqual([`sleeper-${String(channelCount)}`, 'spoke']);
  });

  it.each([
    { limit: 'silenceLimitMs', outcome: 'timeout', others: 0 },
    { limit: 'leaseTimeoutMs', outcome: 'superseded', others: 1 },
  ] as const)(
    'DU-29 a run that is silent ends after $limit, independently of the time to start it',
    async ({ limit, outcome, others }) => {
      const testChannel = await newRoom({ [limit]: 1_500 });
      const silent = scripted('turns: [{ steps: [{ wait: 30000 }, { emit: "Late" }] }]');
      await testChannel.invite(`silent-${String(channelCount)}`, silent);
      for (let i = 0; i < others; i++)
        await testChannel.invite(`z-next-${String(channelCount)}`, rival);
      const { messageId } = await testChannel.post('anybody?');
      const lease = await until('its turn is over', async () => {
        const { json } = await owner.get<{ leases: Lease[] }>(
          `${testChannel.path}/leases?state=all`,
        );
        return json.leases.find(
          ({ endedAt, memberId }) => endedAt && memberId.startsWith('silent'),
        );
      });
      expect(lease.outcome).toBe(outcome);
      // The silence is counted from the start of the run.
      const { json } = await owner.get<Run>(`/v1/runs/${lease.runId}`);
      const tookMs = (lease.endedAt ?? 0) - (json.startedAt ?? 0);
      expect(tookMs).toBeGreaterThanOrEqual(1_500);
      expect(tookMs).toBeLessThan(1_750);
      expect(await testChannel.decisions(messageId)).not.toEqual([]);
    },
  );

  const stimuliIn = async (testChannel: TestChannel): Promise<Stimulus[]> => {
    const { json } = await owner.get<{ stimuli: Stimulus[] }>(
      `${testChannel.path}/stimuli?limit=50`,
    );
    return json.stimuli.reverse();
  };
  const kindsIn = async (testChannel: TestChannel): Promise<string[]> =>
    (await stimuliIn(testChannel)).map(({ kind }) => kind);
  const bindingsIn = async (
    testChannel: TestChannel,
    messageId: string,
  ): Promise<ThreadWork['bindings']> => {
    const { json } = await owner.get<{ work: ThreadWork[] }>(`${testChannel.path}/thread-work`);
    const work = json.work.find(({ threadRootMessageId }) => threadRootMessageId === messageId);
    return work?.bindings ?? [];
  };
  const linesIn = async (testChannel: TestChannel, rootMessageId: string): Promise<string[]> => {
    const { json } = await owner.get<{ messages: Message[] }>(
      `${testChannel.path}/messages?threadRootMessageId=${rootMessageId}&scope=all&limit=50&after=0`,
    );
    return json.messages.map(({ author, inputItems }) => {
      const [item] = inputItems;
      return `${author.displayName}: ${item?.type === 'text' ? item.text : ''}`;
    });
  };

  it('DU-21 DU-22 an agent that started work in a thread explains the result there, and learns what is published', async () => {
    const testChannel = await newRoom();
    const name = `tester-${String(channelCount)}`;
    const script = `turns:
  - when: { kind: task_notice }
    steps:
      - call: { tool: emit_output, input: { content: 'It failed' } }
      - say: noted
  - when: { contains: run the tests }
    steps:
      - call: { tool: shell, input: { command: 'echo clock; exit 3', is_background: true } }
      - emit: I started them.
  - when: { contains: The background task }
    steps: [{ emit: 'One test fails: the clock.' }]`;
    const member = await testChannel.invite(name, scripted(script), { mode: 'full' });
    await testChannel.invite(`another-${String(channelCount)}`, rival);
    const { messageId } = await testChannel.post(`@${name} run the tests and tell me what fails`);
    const explained = `${name}: One test fails: the clock.`;
    const lines = await until('it explains', async () => {
      const lines = await linesIn(testChannel, messageId);
      return lines.includes(explained) ? lines : undefined;
    });
    const own = lines.filter((line) => line.startsWith(`${name}:`));
    expect(own[0]).toBe(`${name}: I started them.`);
    expect(own[1]).toMatch(/The background task .* failed with exit code 3\.$/);
    expect(own[2]).toBe(explained);
    const [result] = await emitResults(member);
    expect(result).toContain('Nothing is published');
    expect(result).toContain('create_channel_stimulus');
  });

  /** What the calls of `emit_output` of a member returned, oldest first. */
  const emitResults = async ({ actorId }: Member): Promise<string[]> => {
    const { json } = await owner.get<{ events: Stamped<SessionEvent>[] }>(
      `/v1/topics/${actorId}/events?limit=200&after=0`,
    );
    return json.events.flatMap((event) =>
      event.type === 'tool_result' && event.data.tool === 'emit_output' ? [event.data.output] : [],
    );
  };

  it('DU-22 emit_output in the run of a private message or of a schedule says that nothing is published', async () => {
    const testChannel = await newRoom();
    const emit = (content: string) =>
      `{ call: { tool: emit_output, input: { content: ${content} } } }`;
    const script = `turns:
  - when: { kind: mailbox_delivery }
    steps: [${emit('Letter read')}]
  - when: { kind: schedule }
    steps: [${emit('Clock read')}]`;
    const member = await testChannel.invite(`reader-${String(channelCount)}`, scripted(script));
    const sessionId = member.actorId.slice('session:'.length);
    const letter = { tool: 'send_message', input: { to: sessionId, message: 'For you alone' } };
    const sender = `sender-${String(channelCount)}`;
    await testChannel.invite(
      sender,
      scripted(`turns: [{ steps: [{ call: ${JSON.stringify(letter)} }] }]`),
    );
    await testChannel.closed((await testChannel.post(`@${sender} write`)).messageId);
    await until('the letter is read', async () => (await emitResults(member)).length === 1);
    const made = await owner.post('/v1/schedules', {
      sessionId,
      title: 'Once',
      text: 'Look at the clock.',
      cadence: { kind: 'once', at: Date.now() },
    });
    expect(made.status, made.text).toBe(201);
    const results = await until('the schedule has run', async () => {
      const found = await emitResults(member);
      return found.length === 2 ? found : undefined;
    });
    for (const result of results) {
      expect(result).toContain('Nothing is published');
      expect(result).toContain('create_channel_stimulus');
    }
    expect(await testChannel.read()).toEqual([`owner: @${sender} write`]);
  });

  it('DU-23 DU-25 a model in the background reports as its tool description says, and the thread shows the report', async () => {
    const testChannel = await newRoom();
    const name = `lead-${String(channelCount)}`;
    const scout = `scout-${String(channelCount)}`;
    await owner.put(`/v1/agents/${scout}`, { driver: { kind: 'builtin' } });
    const working = gate();
    model.script([
      (request) =>
        useTools([
          toolCall('send_message', { to: recipientIn(request), message: 'Half of it is read' }),
        ]),
      say('All of it is read.', { gate: working }),
    ]);
    const launch = {
      description: 'a look',
      prompt: 'Look.',
      agent: scout,
      run_in_background: true,
    };
    const script = `turns:
  - when: { contains: check it }
    steps:
      - call: { tool: agent, input: ${JSON.stringify(launch)} }
      - emit: Somebody looks.
otherwise: [{ say: I see. }]`;
    await testChannel.invite(name, scripted(script), { mode: 'full' });
    const { messageId } = await testChannel.post(`@${name} check it`);
    await until('the thread shows it', async () =>
      (await linesIn(testChannel, messageId)).includes(`${name}: Half of it is read`),
    );
    expect(await kindsIn(testChannel)).toEqual(['sidechain_milestone']);
    const bindings = await bindingsIn(testChannel, messageId);
    const kinds = bindings.map(({ bindingKind }) => bindingKind).filter((kind) => kind !== 'run');
    expect(kinds).toEqual(['sidechain_agent']);
    const { json } = await owner.get<{ tasks: Task[] }>('/v1/tasks?kind=agent&limit=10');
    for (const { taskId } of json.tasks) await owner.post(`/v1/tasks/${taskId}/stop`);
    working.open();
  });

  it('DU-26 a schedule that ends by itself is unbound from its thread at once', async () => {
    const testChannel = await newRoom({ memberCooldownMs: 0 });
    const name = `planner-${String(channelCount)}`;
    const input = {
      title: 'One look',
      task: 'Look once.',
      cadence: { kind: 'once', at: Date.now() + 1_000 },
    };
    const script = `turns:
  - when: { kind: schedule }
    steps: [{ emit: All is well. }]
  - when: { contains: plan it }
    steps:
      - call: { tool: create_schedule, input: ${JSON.stringify(input)} }
      - emit: Planned.
otherwise: [{ pass: true }]`;
    await testChannel.invite(name, scripted(script), { mode: 'full' });
    const { messageId } = await testChannel.post(`@${name} plan it`);
    await until('it is bound', async () =>
      (await bindingsIn(testChannel, messageId)).some(
        ({ bindingKind }) => bindingKind === 'schedule',
      ),
    );
    await until('its result is shown', async () =>
      (await linesIn(testChannel, messageId)).includes(`${name}: All is well.`),
    );
    const bindings = await bindingsIn(testChannel, messageId);
    expect(bindings.filter(({ bindingKind }) => bindingKind === 'schedule')).toEqual([]);
  });

  it('DU-28 a stimulus that expires before its time is cancelled when it expires', async () => {
    const testChannel = await newRoom();
    const at = Date.now();
    const made = await owner.post<Stimulus>(`${testChannel.path}/stimuli`, {
      kind: 'agent_idea',
      scope: 'channel',
      content: 'Too late',
      expiresAt: at + 1_500,
      availableAt: at + 6_000,
    });
    expect(made.status, made.text).toBe(201);
    const settled = await until('it is settled', async () => {
      const { json } = await owner.get<{ events: Stamped<ChannelEvent>[] }>(
        `/v1/topics/${testChannel.topic}/events?limit=50&after=0`,
      );
      return json.events.find(({ type }) => type === 'stimulus_settled');
    });
    expect(settled.data).toMatchObject({ state: 'cancelled', reason: 'expired' });
    expect(Math.abs(settled.at - at - 1_500)).toBeLessThan(250);
  });

  it('DU-24 each kind of stimulus comes from the producer that the documentation names', async () => {
    const policy = {
      memberCooldownMs: 0,
      quietPeriodMsAfterRootPost: 0,
      maxActiveAutonomousRoots: 20,
      maxAutonomousRootPostsPerHour: 50,
      threadIdleFollowUpMs: 60_000,
    };
    const testChannel = await newRoom(policy);
    const name = `maker-${String(channelCount)}`;
    const put = (kind: string) => ({
      tool: 'create_channel_stimulus',
      input: { kind, content: `A ${kind}`, scope: 'thread' },
    });
    const input = { title: 'Once', task: 'Look.', cadence: { kind: 'once', at: Date.now() } };
    const helper = `helper-${String(channelCount)}`;
    const milestone = { tool: 'send_message', input: { to: 'parent', message: 'Half is done' } };
    await owner.put(`/v1/agents/${helper}`, {
      driver: scripted(`turns: [{ steps: [{ call: ${JSON.stringify(milestone)} }] }]`),
    });
    const launch = {
      tool: 'agent',
      input: { description: 'help', prompt: 'Help.', agent: helper, run_in_background: true },
    };
    const script = `turns:
  - when: { kind: schedule }
    steps: [{ emit: Looked. }]
  - when: { contains: an idea }
    steps: [{ call: ${JSON.stringify(put('agent_idea'))} }, { pass: true }]
  - when: { contains: a result }
    steps: [{ call: ${JSON.stringify(put('result_summary'))} }, { pass: true }]
  - when: { contains: a schedule }
    steps: [{ call: { tool: create_schedule, input: ${JSON.stringify(input)} } }, { pass: true }]
  - when: { contains: a command }
    steps: [{ call: { tool: shell, input: { command: 'true', is_background: true } } }, { pass: true }]
  - when: { contains: a helper }
    steps: [{ call: ${JSON.stringify(launch)} }, { pass: true }]
otherwise: [{ pass: true }]`;
    await testChannel.invite(name, scripted(script), { mode: 'full' });
    for (const wanted of ['an idea', 'a result', 'a schedule', 'a command', 'a helper']) {
      await testChannel.post(`@${name} ${wanted}`);
    }
    const { messageId } = await testChannel.post('work');
    const work = `${testChannel.path}/thread-work/${messageId}`;
    await owner.patch(work, { review: { verdict: 'approved' } });
    await owner.patch(work, { status: 'superseded' });
    const { json: source } = await owner.post<ObservationSourceWithSecret>(
      '/v1/observation-sources',
      { channelId: testChannel.topic.slice('channel:'.length), title: 'Disks' },
    );
    await observe(daemon, source, '{"text":"disk full"}');
    const documented = producersInDocs();
    const kinds = StimulusKind.options;
    expect([...documented.keys()].toSorted()).toEqual(kinds.toSorted());
    for (const kind of kinds) expect(documented.get(kind), kind).toMatch(PRODUCERS[kind].inDocs);
    const made = async (wanted: readonly string[]): Promise<boolean> => {
      const found = new Set(await kindsIn(testChannel));
      return wanted.every((kind) => found.has(kind));
    };
    // Work is idle after a minute at the least: the daemon comes back after two.
    const idle = 'thread_idle_followup';
    await until('all others were made', () => made(kinds.filter((kind) => kind !== idle)));
    await until('the helper has ended', async () =>
      (await stimuliIn(testChannel)).some(
        ({ kind, sourceKind }) => kind === 'task_completed' && sourceKind === 'sidechain_agent',
      ),
    );
    expect(await made([idle])).toBe(false);
    await restart();
    await until('it asks about the idle work', () => made([idle]));
    const found = (await stimuliIn(testChannel)).map(
      ({ kind, createdBy, sourceKind = 'none' }) =>
        `${kind} by ${createdBy.replace(/:.*/, '')} from ${sourceKind}`,
    );
    const expected = kinds.flatMap((kind) => PRODUCERS[kind].made.map((how) => `${kind} ${how}`));
    expect([...new Set(found)].toSorted()).toEqual(expected.toSorted());
  });

  it('DU-27 the next start removes bindings to work that is gone, and logs it', async () => {
    const testChannel = await newRoom();
    const { messageId } = await testChannel.post('work');
    for (const sourceKind of ['task', 'sidechain_agent', 'observation']) {
      await owner.post(`${testChannel.path}/stimuli`, {
        kind: 'task_completed',
        scope: 'thread',
        threadRootMessageId: messageId,
        content: `News of a ${sourceKind}`,
        sourceKind,
        sourceRef: `${sourceKind}_that_is_gone`,
      });
    }
    await until(
      'they are bound',
      async () => (await bindingsIn(testChannel, messageId)).length === 3,
    );
    await restart();
    await until(
      'they are unbound',
      async () => (await bindingsIn(testChannel, messageId)).length === 0,
    );
    const { stdout, stderr } = daemon.output();
    expect(stdout + stderr).toContain('repair_work_bindings');
  });
});

const TWO_MINUTES_AHEAD = `--import=data:text/javascript,${encodeURIComponent(
  'const { now } = Date; Date.now = () => now() + 120_000;',
)}`;

/** The recipient of reports in the description of the tool. */
function recipientIn({ body }: ModelRequest): string {
  const tools = body['tools'] as { function: { name: string; description: string } }[];
  const tool = tools.find((each) => each.function.name === 'send_message')?.function;
  return /report progress to "(\w+)"/.exec(tool?.description ?? '')?.[1] ?? 'nobody';
}

/** What docs/stimuli.md says about where each kind comes from. */
function producersInDocs(): Map<string, string> {
  const text = readFileSync(new URL('../docs/stimuli.md', import.meta.url), 'utf8');
  const table = text.slice(text.indexOf('### Kinds'), text.indexOf('`thread_idle_follow_up`'));
  const rows = table.matchAll(/^\| `(\w+)` .*\| (\S.*\S) +\|$/gm);
  return new Map([...rows].map(([, kind = '', producer = '']) => [kind, producer]));
}

interface Producer {
  /** What the documentation has to say. */
  readonly inDocs: RegExp;
  /** Who made it, and where it comes from. */
  readonly made: readonly string[];
}

const PRODUCERS: Readonly<Record<StimulusKind, Producer>> = {
  agent_idea: { inDocs: /^agents, with their tool/, made: ['by session from run'] },
  result_summary: { inDocs: /^agents, with their tool/, made: ['by session from run'] },
  schedule_fire: { inDocs: /^a schedule .*`create_schedule`/, made: ['by system from schedule'] },
  schedule_result: { inDocs: /^the run of such a schedule/, made: ['by session from schedule'] },
  // Of a command, and of an agent in the background.
  task_completed: {
    inDocs: /^a background task/,
    made: ['by system from task', 'by session from sidechain_agent'],
  },
  sidechain_milestone: {
    inDocs: /^a background agent, with `send_message` to `parent`/,
    made: ['by system from sidechain_agent'],
  },
  review_completed: { inDocs: /^a verdict .*thread-work/, made: ['by human from none'] },
  supersession_notice: { inDocs: /^work .*superseded .*thread-work/, made: ['by human from none'] },
  observation_materialized: {
    inDocs: /^\[external sources\]/,
    made: ['by system from observation'],
  },
  thread_idle_followup: { inDocs: /^the daemon/, made: ['by system from none'] },
};

/** Tells an observation as a program outside does. */
async function observe(
  { url }: TestDaemon,
  { source, secret }: ObservationSourceWithSecret,
  raw: string,
): Promise<void> {
  const time = String(Math.floor(Date.now() / 1_000));
  const v1 = createHmac('sha256', secret).update(`${time}.`).update(raw).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'stoa-signature': `t=${time},v1=${v1}`,
    'stoa-delivery': 'delivery-1',
  };
  const sent = await call(url, 'POST', `/v1/observations/${source.sourceId}`, { raw, headers });
  expect(sent.status, sent.text).toBe(201);
}
