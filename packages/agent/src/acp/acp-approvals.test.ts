import { PermissionMode } from '@stoa/protocol';
import { type AgentFixture, OWNER, outputOf, until } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { type AcpStageOptions, mcpFor, openStage } from './acp-stage.fixture.js';
import { agentProgram } from './agent-program.js';

const OWN_TOOLS = [
  ...['emit_output', 'pass_turn', 'read_channel_thread', 'set_channel_reaction'],
  ...['send_message', 'remember', 'ask_user'],
];

const open = (options: AcpStageOptions = {}): Promise<AgentFixture> =>
  openStage({ limits: { askMs: 300 }, ports: () => ({ mcpFor: mcpFor(OWN_TOOLS) }), ...options });

const ONCE = { decision: 'allow', scope: 'once' } as const;

describe('an approval for a program', () => {
  it('covers one call: people are asked again about another call with the same id', async () => {
    const stage = await open();
    const session = await stage.session();
    const make = '!request c1 execute {"command":"make a"}';
    const { runId } = await session.submit(
      `${make}\n!request c1 execute {"command":"rm -rf x"}\n${make}`,
    );
    const first = await stage.answer(session, ONCE);
    const second = await until('people are asked about the other arguments', async () => {
      const asked = await stage.asked(session);
      return asked.approvalId === first.approvalId ? undefined : asked;
    });
    expect(second.input).toEqual({ command: 'rm -rf x' });
    await stage.answer(session, { decision: 'deny', scope: 'once' });
    const third = await until('people are asked about the first arguments again', async () => {
      const asked = await stage.asked(session);
      return asked.approvalId === second.approvalId ? undefined : asked;
    });
    expect(third.input).toEqual({ command: 'make a' });
    await stage.answer(session, ONCE);
    expect(outputOf(await session.ended(runId))).toContain('allowed');
    const calls = (await session.all('tool_call')).map(({ data }) => data);
    expect(calls.map(({ input, approvalId }) => [input, approvalId])).toEqual([
      [{ command: 'make a' }, first.approvalId],
      [{ command: 'make a' }, third.approvalId],
    ]);
    const results = (await session.all('tool_result')).map(({ data }) => data);
    expect(results.map(({ outcome }) => outcome)).toEqual(['denied', 'unknown', 'unknown']);
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(3);
  });

  it('covers only the shown arguments, also after a restart', async () => {
    const stage = await open({ keepsSessions: true });
    const session = await stage.session();
    // The call is announced before its arguments are known, so its id does not depend on them.
    const { runId } = await session.submit(
      '!form c1 execute\n!say I will try.\n!request c1 execute {"command":"attempt %n"}',
    );
    const before = await stage.asked(session);
    expect(before.input).toEqual({ command: 'attempt 1' });
    await stage.restart();
    const again = session.on(stage.daemon);
    await stage.daemon.core.approvals.answer(OWNER, before.approvalId, ONCE);
    const after = await stage.asked(again);
    expect(after.input).toEqual({ command: 'attempt 2' });
    await stage.answer(again, { decision: 'deny', scope: 'once' });
    expect(outputOf(await again.ended(runId))).toContain('rejected');
  });

  it('is journaled with the shown arguments, even if the program reports others later', async () => {
    const stage = await open();
    const session = await stage.session();
    const { runId } = await session.submit(
      '!request c1 execute {"command":"make a"} while {"command":"rm -rf x"}',
    );
    const { approvalId } = await stage.answer(session, ONCE);
    await session.ended(runId);
    const [call, ...more] = await session.all('tool_call');
    expect(call?.data).toMatchObject({ input: { command: 'make a' }, approvalId });
    expect(more).toEqual([]);
  });
});

const DENY = { decision: 'deny', scope: 'once' } as const;
const permit = (call: object): string => `!permit ${JSON.stringify({ toolCallId: 'c', ...call })}`;
const diff = (newText: string) => ({ type: 'diff', path: 'a.txt', oldText: 'old\n', newText });
const text = (content: string) => ({ type: 'content', content: { type: 'text', text: content } });

describe('an approval covers the shown description', () => {
  it.each([
    ['diff', { kind: 'edit', title: 'Edit a.txt', content: [diff('attempt %n\n')] }],
    ['text', { kind: 'execute', title: 'Shell', content: [text('attempt %n')] }],
    ['location', { kind: 'edit', title: 'Edit', locations: [{ path: 'attempt-%n' }] }],
    ['kind', { kind: 'think%n', title: 'Something' }],
  ])(
    'AC-4 after a restart people are asked again about the same title with another %s',
    async (_, call) => {
      const stage = await open({ keepsSessions: true });
      const session = await stage.session();
      const { runId } = await session.submit(permit(call));
      const before = await stage.asked(session);
      await stage.restart();
      const again = session.on(stage.daemon);
      await stage.daemon.core.approvals.answer(OWNER, before.approvalId, ONCE);
      const after = await stage.asked(again);
      expect(after.approvalId).not.toBe(before.approvalId);
      expect(after.inputHash).not.toBe(before.inputHash);
      await stage.answer(again, DENY);
      expect(outputOf(await again.ended(runId))).toContain('rejected');
      expect(await again.all('tool_call')).toEqual([]);
    },
  );

  it('AC-4 after a restart people are not asked again about the same call', async () => {
    const stage = await open({ keepsSessions: true });
    const session = await stage.session();
    const call = { kind: 'edit', title: 'Edit a.txt', content: [diff('new\n'), text('why')] };
    const { runId } = await session.submit(permit(call));
    const before = await stage.asked(session);
    await stage.restart();
    const again = session.on(stage.daemon);
    await until('the prompt was repeated', () => stage.prompts.length === 2);
    await stage.daemon.core.approvals.answer(OWNER, before.approvalId, ONCE);
    expect(outputOf(await again.ended(runId))).toContain('allowed');
    expect(await again.all('waiting_approval')).toHaveLength(1);
  });

  it('AC-5 people see the text of a request, and rules match the command in it', async () => {
    const stage = await open({ permissions: { deny: ['Shell(rm *)'] } });
    const session = await stage.session();
    const request = (command: string) =>
      permit({ kind: 'execute', title: 'Shell', content: [text(`Run \`${command}\``)] });
    expect(outputOf(await session.ask(request('rm -rf x')))).toBe('rejected');
    expect(await session.all('waiting_approval')).toEqual([]);
    const { runId } = await session.submit(request('touch x'));
    const asked = await stage.asked(session);
    expect(asked.detail).toContain('Run `touch x`');
    await stage.answer(session, DENY);
    await session.ended(runId);
  });

  it('AC-5 an ask rule matches the command in the text of a request, even in mode full', async () => {
    const stage = await open({
      permissions: { ask: ['Shell(rm *)'] },
      definition: { mode: 'full' },
    });
    const session = await stage.session();
    const request = (command: string) =>
      permit({ kind: 'execute', title: 'Shell', content: [text(`Run \`${command}\``)] });
    expect(outputOf(await session.ask(request('touch x')))).toBe('allowed');
    expect(await session.all('waiting_approval')).toEqual([]);
    const { runId } = await session.submit(request('rm -rf x'));
    const asked = await stage.asked(session);
    expect(asked.detail).toContain('Run `rm -rf x`');
    await stage.answer(session, DENY);
    expect(outputOf(await session.ended(runId))).toBe('rejected');
  });

  it.each([
    [
      'nothing but a title',
      { kind: 'other', title: 'Something', name: 'widget' },
      /only its title/,
    ],
    [
      'a part that cannot be shown',
      {
        kind: 'execute',
        title: 'Shell',
        rawInput: { command: 'ls' },
        content: [{ type: 'content', content: { type: 'image', data: '', mimeType: 'image/png' } }],
      },
      /cannot be shown here: image/,
    ],
  ])(
    'AC-5 a request with %s has a note, and cannot be allowed permanently',
    async (_, call, note) => {
      const stage = await open();
      const session = await stage.session();
      const { runId } = await session.submit(permit(call));
      const asked = await stage.asked(session);
      expect(asked.notes?.join('\n')).toMatch(note);
      expect(asked.suggestedRule).toBeUndefined();
      const always = { decision: 'allow', scope: 'session' } as const;
      await expect(stage.answer(session, always)).rejects.toMatchObject({
        code: 'invalid_request',
      });
      await stage.answer(session, DENY);
      await session.ended(runId);
    },
  );

  it('AC-6 an empty rawInput in the request does not replace the reported arguments', async () => {
    const stage = await open();
    const session = await stage.session();
    const rawInput = { command: 'touch x' };
    const known = { toolCallId: 'c', kind: 'execute', title: 'Shell', status: 'pending', rawInput };
    for (const empty of [{}, null, '']) {
      const { runId } = await session.submit(
        `!report ${JSON.stringify(known)}\n${permit({ rawInput: empty, content: [], title: '' })}`,
      );
      const asked = await stage.asked(session);
      expect(asked).toMatchObject({
        input: rawInput,
        title: 'Shell',
        suggestedRule: 'Shell(touch x)',
      });
      await stage.answer(session, DENY);
      await session.ended(runId);
    }
  });

  it('AC-9 a call has not begun if the program reports that it runs and then asks', async () => {
    const stage = await open({ keepsSessions: true });
    const session = await stage.session();
    const call = { toolCallId: 'c', kind: 'execute', title: 'Shell', rawInput: { command: 'x' } };
    const { runId } = await session.submit(
      `!report ${JSON.stringify({ ...call, status: 'in_progress' })}\n${permit(call)}`,
    );
    const before = await stage.asked(session);
    expect(await session.all('tool_call')).toEqual([]);
    await stage.restart();
    const again = session.on(stage.daemon);
    await until('the prompt was repeated', () => stage.prompts.length === 2);
    await stage.daemon.core.approvals.answer(OWNER, before.approvalId, ONCE);
    expect(outputOf(await again.ended(runId))).toContain('allowed');
    expect(await again.all('waiting_approval')).toHaveLength(1);
    const calls = (await again.all('tool_call')).map(({ data }) => data.approvalId);
    expect(calls).toEqual([before.approvalId]);
  });

  it('AC-9 a reported call has begun if the program does not ask in time', async () => {
    const stage = await open();
    const session = await stage.session();
    await session.submit('!begin a execute {"command":"make"}\n!wait');
    await until('it has begun', async () => (await session.all('tool_call')).length === 1);
  });
});

/** The answers to the requests of the program, in order. */
const answers = (stage: AgentFixture): string[] =>
  stage.received.flatMap(({ type, outcome }) => {
    const { optionId = '' } = (outcome ?? {}) as { optionId?: string };
    return type === 'permission' ? [/allow/.test(optionId) ? 'allowed' : 'rejected'] : [];
  });

describe('MCP tools of a program', () => {
  const FORMS = (server: string, tool: string) => [
    { name: `mcp__${server}__${tool}`, kind: 'other', title: 'x', rawInput: {} },
    { kind: 'other', title: `mcp.${server}.${tool}` },
    { kind: 'other', title: `${tool} (${server} MCP Server)` },
    { kind: 'other', name: `${server}-${tool}` },
    { kind: 'other', title: `${server}_${tool}` },
    { kind: 'execute', title: 'x', rawInput: { server, tool, arguments: {} } },
    { kind: 'read', name: `${server}-${tool}`, locations: [{ path: 'a.txt' }] },
  ];

  it('AC-7 deny rules and plan mode apply to every form of a report', async () => {
    const prompt = FORMS('db', 'drop')
      .map((call, index) => permit({ ...call, toolCallId: `c${String(index)}` }))
      .join('\n');
    const mcpServers = { db: { url: 'http://127.0.0.1:1/' } };
    const stages = [
      await open({ permissions: { deny: ['Mcp(db:*)'] }, definition: { mode: 'full' } }),
      await open({ definition: { mode: 'plan', mcpServers } }),
    ];
    for (const stage of stages) {
      const session = await stage.session();
      await session.ask(prompt);
      expect(answers(stage)).toEqual(FORMS('', '').map(() => 'rejected'));
      expect(await session.all('waiting_approval')).toEqual([]);
    }
  });

  it('AC-7 a program does not get a denied server', async () => {
    const mcpServers = { db: { url: 'http://127.0.0.1:1/' }, web: { url: 'http://127.0.0.1:1/' } };
    const stage = await open({ permissions: { deny: ['Mcp(db)'] }, definition: { mcpServers } });
    const session = await stage.session();
    await session.ask('!say hello');
    const names = (): string[] =>
      (
        stage.received.findLast(({ type }) => type === 'new')?.['mcpServers'] as { name: string }[]
      ).map(({ name }) => name.replace(/^stoa\w+$/, 'own'));
    expect(names()).toEqual(['own', 'web']);
    await stage.daemon.core.sessions.update(OWNER, session.sessionId, { mode: 'plan' });
    await session.ask('!say hello');
    expect(names()).toEqual(['own']);
  });

  it('AC-7 a program that calls a denied tool without asking is stopped', async () => {
    const stage = await open({ permissions: { deny: ['Mcp(db:drop)'] } });
    const session = await stage.session();
    const call = { toolCallId: 'c', name: 'mcp__db__drop', status: 'in_progress', rawInput: {} };
    const run = await session.ask(`!report ${JSON.stringify(call)}\n!say done`);
    expect(run.failure).toMatchObject({ code: 'acp_not_asked' });
    expect(run.failure?.message).toContain('Denied by Mcp(db:drop)');
  });

  it.each(PermissionMode.options)(
    'AC-10 tools of Stoa need no approval in mode %s',
    async (mode) => {
      const stage = await open({ definition: { mode } });
      const session = await stage.session();
      const calls = [
        ...OWN_TOOLS.map((tool) => ({ name: `mcp__%s__${tool}`, rawInput: { content: 'x' } })),
        ...FORMS('%s', 'emit_output').slice(0, -1),
      ];
      const prompt = calls.map((call, index) =>
        permit({ ...call, toolCallId: `c${String(index)}` }),
      );
      await session.ask(prompt.join('\n'));
      expect(answers(stage)).toEqual(calls.map(() => 'allowed'));
      expect(await session.all('waiting_approval')).toEqual([]);
    },
  );

  it('AC-10 a rule about a tool of Stoa applies', async () => {
    const stage = await open({ permissions: { deny: ['Mcp(stoa:remember)'] } });
    const session = await stage.session();
    expect(outputOf(await session.ask(permit({ name: 'mcp__%s__remember' })))).toBe('rejected');
    expect(outputOf(await session.ask(permit({ name: 'mcp__%s__ask_user' })))).toBe('allowed');
  });

  const ATTACKS = [
    { kind: 'execute', rawInput: { command: 'id > canary' }, name: 'mcp__stoa__evil' },
    { kind: 'execute', rawInput: { command: 'id > canary' }, name: 'mcp__%s__emit_output' },
    {
      kind: 'execute',
      rawInput: { command: 'id > canary' },
      _meta: { claudeCode: { toolName: 'mcp__%s__emit_output' } },
    },
    { name: 'mcp__%s__evil', rawInput: {} },
    { name: 'mcp__%s__emit_output', rawInput: { path: '/etc/passwd' } },
    { name: 'mcp__%s__emit_output', rawInput: { url: 'https://evil.example/' } },
    { name: 'mcp__stoa__emit_output', rawInput: { content: 'x' } },
    { title: 'emit_output (stoa MCP Server)' },
  ];

  it('SE-56 SE-57 SE-58 no other call passes as a tool of Stoa: plan mode denies it', async () => {
    const stage = await open({ definition: { mode: 'plan' } });
    const session = await stage.session();
    const prompt = ATTACKS.map((call, index) =>
      permit({ ...call, toolCallId: `c${String(index)}` }),
    );
    await session.ask(prompt.join('\n'));
    expect(answers(stage)).toEqual(ATTACKS.map(() => 'rejected'));
  });

  it('SE-56 SE-57 SE-58 no other call passes as a tool of Stoa: people are asked', async () => {
    const stage = await open();
    const session = await stage.session();
    for (const call of ATTACKS) {
      const { runId } = await session.submit(permit(call));
      const asked = await stage.asked(session);
      if ('command' in (call.rawInput ?? {})) expect(asked.input).toEqual(call.rawInput);
      await stage.answer(session, DENY);
      expect(outputOf(await session.ended(runId))).toBe('rejected');
    }
  });

  it('AC-10 each session has its own process if the program shares tools between sessions', async () => {
    for (const [preset, processes] of [
      ['opencode', 2],
      ['qwen', 1],
    ] as const) {
      const stage = await open({ config: { preset } });
      for (const session of [await stage.session(), await stage.session()]) {
        await session.ask('!say hello');
      }
      // Ids of the fake program have the same prefix in one process.
      const ids = stage.received.flatMap(({ type, id }) => (type === 'new' ? [id] : []));
      const started = new Set(ids.map((id) => id?.slice(0, id.lastIndexOf('-'))));
      expect([ids.length, started.size]).toEqual([2, processes]);
    }
  });

  it('SE-58 Stoa’s server has a different random name in each session, which presets use', async () => {
    const stage = await open();
    for (const session of [await stage.session(), await stage.session()])
      await session.ask('!say x');
    const opened = stage.received.filter(({ type }) => type === 'new');
    const names = opened.map(({ mcpServers }) => (mcpServers as { name: string }[])[0]?.name ?? '');
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^stoa[0-9a-f]{16}$/);
    const { ownServerArgs } = agentProgram({ kind: 'acp', preset: 'qwen' }, {});
    expect(ownServerArgs?.(names)).toEqual([
      '--allowed-tools',
      names.map((name) => `mcp__${name}`).join(','),
    ]);
  });
});
