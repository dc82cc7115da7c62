import type { Driver } from '@stoa/core';
import type { AgentDefinition, DriverKind } from '@stoa/protocol';
import {
  AgentSession,
  definitionOf,
  OWNER,
  outputOf,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
  type TracedTool,
  TracedTools,
  until,
  VirtualTimers,
} from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../tools/tool.js';
import { ToolRunner } from '../tools/tool-runner.js';
import { GUIDE } from './guide.js';
import { ScriptDriver } from './script-driver.js';

const worlds: RuntimeWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.discard();
});

async function openWorld(): Promise<RuntimeWorld> {
  const [engine] = STORE_ENGINES;
  if (!engine) throw new Error('there is no engine');
  const world = await RuntimeWorld.open(engine);
  worlds.push(world);
  return world;
}

interface Staged {
  readonly daemon: RuntimeDaemon;
  readonly session: AgentSession;
  readonly tools: TracedTools;
  readonly timers: VirtualTimers;
  /** Kills the daemon and starts another one with its data. */
  readonly restart: (tools?: Record<string, TracedTool>) => Promise<Omit<Staged, 'restart'>>;
}

async function stage(
  script: string | AgentDefinition,
  toolset: Record<string, TracedTool> = {},
): Promise<Staged> {
  const world = await openWorld();
  const definition = typeof script === 'string' ? definitionOf({ kind: 'script', script }) : script;
  const start = async (used: Record<string, TracedTool>) => {
    const tools = new TracedTools(used);
    const timers = new VirtualTimers(world.clock);
    const driver = new ScriptDriver({
      tools,
      timers,
      readScript: (_, file) => Promise.resolve(`turns: [{steps: [{say: from ${file}}]}]`),
    });
    const daemon = await world.start({
      builtinAgents: () => Promise.resolve({ player: definition }),
      drivers: new Map<DriverKind, Driver>([['script', driver]]),
    });
    return { daemon, tools, timers };
  };
  const first = await start(toolset);
  const session = await AgentSession.open(first.daemon, 'player');
  return {
    ...first,
    session,
    restart: async (next = toolset) => {
      await first.daemon.abandon();
      const second = await start(next);
      return { ...second, session: session.on(second.daemon) };
    },
  };
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('the script driver', () => {
  it('R-33 plays turns, calls, delays and failures', async () => {
    const { session, tools, timers } = await stage(
      `
turns:
  - steps:
      - say: You wrote \${input}.
      - say: I will read it.
        call:
          - { tool: read, input: { path: a.txt }, as: first }
          - { tool: read, input: { path: '\${input}.txt', deep: ['\${from}'] } }
      - wait: 5000
      - say: 'First \${results.first}, then \${result} (\${results.first.outcome}).'
  - steps:
      - fail: { code: out_of_paper, message: 'No \${input} left' }
`,
      { read: ({ path }) => `<${String(path)}>` },
    );
    const { runId } = await session.submit('blue');
    await until('it waits', () => tools.ran.length === 2 && timers.count > 0);
    timers.advance(5_000);
    const run = await session.ended(runId);
    expect(run).toMatchObject({ status: 'completed' });
    expect(outputOf(run)).toBe('First <a.txt>, then <blue.txt> (ok).');
    expect(tools.ran.map(({ input }) => input)).toEqual([
      { path: 'a.txt' },
      { path: 'blue.txt', deep: ['owner'] },
    ]);
    expect(await session.types()).toEqual([
      'session_created',
      'accepted',
      'queued',
      'started',
      'delivered',
      'model_message',
      'model_message',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
      'model_message',
      'publishing',
      'completed',
    ]);
    expect((await session.ask('ink')).failure).toEqual({
      phase: 'agent',
      code: 'out_of_paper',
      message: 'No ink left',
    });
  });

  it('R-33 writes the same journal byte for byte under the same conditions', async () => {
    const play = async (): Promise<string> => {
      const { session } = await stage(
        `
turns:
  - steps:
      - repeat:
          times: 3
          steps:
            - say: 'Round \${round}'
              call: [{ tool: echo, input: { n: '\${round}' } }, { tool: echo, input: { n: x } }]
      - emit: All rounds are done
      - say: Done
`,
        { echo: ({ n }) => String(n) },
      );
      await session.ask('go');
      return session.bytes();
    };
    const journal = await play();
    expect(journal).toContain('Round 3');
    expect(await play()).toBe(journal);
  });

  it('R-33 writes the same journal with real tools, independent of their speed', async () => {
    const play = async (tookMs: number): Promise<string> => {
      const world = await openWorld();
      const slow = defineTool({
        name: 'slow',
        description: 'Takes a while.',
        input: z.strictObject({}),
        kind: 'other',
        title: () => 'slow',
        subjects: () => Promise.resolve([{ type: 'none' }]),
        execute: async () => {
          await new Promise((resolve) => setTimeout(resolve, tookMs));
          world.clock.move(1_500);
          return { text: 'done' };
        },
      });
      const timers = new VirtualTimers(world.clock);
      const tools = new ToolRunner({
        tools: [slow],
        decide: () => ({ outcome: 'allow', reason: 'a test' }),
        home: '/nonexistent',
        now: () => world.clock.now(),
        diagnose: () => undefined,
      });
      const driver = new ScriptDriver({ tools, timers, readScript: () => Promise.resolve('') });
      const script = 'turns: [{ steps: [{ call: { tool: slow } }, { say: "${result}" }] }]';
      const daemon = await world.start({
        builtinAgents: () => Promise.resolve({ player: definitionOf({ kind: 'script', script }) }),
        drivers: new Map<DriverKind, Driver>([['script', driver]]),
      });
      const session = await AgentSession.open(daemon, 'player');
      expect(outputOf(await session.ask('go'))).toBe('done');
      return session.bytes();
    };
    const journal = await play(0);
    expect(journal).toContain('durationMs\\":1500');
    expect(await play(30)).toBe(journal);
  });

  it('chooses turns by their conditions, then in order, then otherwise', async () => {
    const { session } = await stage(`
turns:
  - when: { contains: Weather }
    steps: [{ say: It rains. }]
  - when: { matches: '^add (\\d+) and (\\d+)$' }
    steps: [{ say: 'Adding \${match.1} to \${match.2}' }]
  - steps: [{ say: one }]
  - repeat: 2
    steps: [{ say: two }]
otherwise: [{ say: 'What is \${input}?' }]
`);
    const outputs: string[] = [];
    for (const text of ['hm', 'the weather?', 'a', 'add 2 and 3', 'b', 'c', 'd'])
      outputs.push(outputOf(await session.ask(text)));
    expect(outputs).toEqual([
      'one',
      'It rains.',
      'two',
      'Adding 2 to 3',
      'two',
      'What is c?',
      'What is d?',
    ]);
    await session.daemon.core.sessions.clear(OWNER, session.sessionId);
    expect(outputOf(await session.ask('again'))).toBe('one');
  });

  it('fails if no turn matches', async () => {
    const { session } = await stage('turns: [{ steps: [{ say: once }] }]');
    await session.ask('a');
    expect((await session.ask('b')).failure).toMatchObject({ code: 'script_no_turn' });
  });

  it('fails if the patterns of a script take too many steps in total', async () => {
    const hostile = `{ when: { matches: '(a+|b)+!' }, steps: [{ say: b }] }`;
    const { session } = await stage(`
turns: [${Array.from({ length: 100 }, () => hostile).join(', ')}]
otherwise: [{ say: none of them }]
`);
    expect(outputOf(await session.ask('a'.repeat(100)))).toBe('none of them');
    expect((await session.ask('a'.repeat(10_000))).failure).toMatchObject({
      code: 'script_too_slow',
    });
  });

  it('emits, passes, and publishes the emitted text instead of its messages', async () => {
    const { session } = await stage(`
turns:
  - steps: [{ say: thinking }, { emit: for everybody }, { say: more }]
  - steps: [{ say: hm }, { pass: true }, { say: never sent }]
`);
    expect(outputOf(await session.ask('1'))).toBe('for everybody');
    expect(await session.ask('2')).toMatchObject({ status: 'completed', output: [] });
    expect(await session.all('model_message')).toHaveLength(3);
  });

  it('stops when a tool ends the turn', async () => {
    const { session } = await stage(
      'turns: [{ steps: [{ call: { tool: pass_turn } }, { say: never }] }]',
      { pass_turn: () => ({ text: 'passed', endsTurn: true }) },
    );
    expect(await session.ask('1')).toMatchObject({ status: 'completed', output: [] });
    expect(await session.all('model_message')).toHaveLength(1);
  });

  it('R-2 takes an injected message at the next tool boundary', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { session, tools } = await stage(
      `turns: [{ steps: [{ call: { tool: work } }, { say: 'Received: \${injected}' }] }]`,
      { work: () => opened.then(() => 'worked') },
    );
    const { runId } = await session.submit('go');
    await until('it works', () => tools.ran.length === 1);
    const injected = await session.submit('also this', 'inject');
    expect(injected).toMatchObject({ runId, appliedRule: 'inject' });
    open();
    expect(outputOf(await session.ended(runId))).toBe('Received: also this');
    const [, receipt] = await session.all('delivered');
    expect(receipt?.data).toMatchObject({ itemId: injected.itemId, how: 'inject' });
  });

  it('R-12 continues after a crash, and does not repeat a call that was started', async () => {
    const script = `
turns:
  - steps:
      - call: { tool: work, input: { n: 1 }, as: one }
      - call: { tool: work, input: { n: 2 }, as: two }
      - call: { tool: work, input: { n: 3 } }
      - say: '\${results.one}, \${results.two.outcome}, \${result}'
`;
    const { session, tools, restart } = await stage(script, {
      work: ({ n }) => (n === 2 ? never() : `did ${String(n)}`),
    });
    const { runId } = await session.submit('go');
    await until('the second call is under way', () => tools.ran.length === 2);
    const after = await restart({ work: ({ n }) => `did ${String(n)}` });
    const run = await after.session.ended(runId);
    expect(outputOf(run)).toBe('did 1, unknown, did 3');
    expect(after.tools.ran.map(({ input }) => input)).toEqual([{ n: 3 }]);
    expect(run.attempts).toBe(2);
    expect(await after.session.all('tool_call')).toHaveLength(3);
  });

  it('R-4 stops when it is cancelled during a wait', async () => {
    const { session, daemon, timers } = await stage(
      'turns: [{ steps: [{ say: before }, { wait: 60000 }, { say: after }] }]',
    );
    const { runId } = await session.submit('go');
    await until('it waits', async () => (await session.all('model_message')).length === 1);
    await daemon.core.runs.cancel(OWNER, runId);
    await until('the driver has stopped', () => daemon.core.runner.runCount === 0);
    timers.advance(120_000);
    expect((await session.types()).at(-1)).toBe('cancelled');
  });

  it('fails the run if the script is invalid, and names the line', async () => {
    const { session } = await stage('turns:\n  - steps:\n      - shout: hello\n');
    expect((await session.ask('go')).failure).toEqual({
      phase: 'start',
      code: 'invalid_agent',
      message: 'script:3: turns.1.steps.1: unknown field shout',
    });
  });

  it('reads a script from its file', async () => {
    const { session } = await stage(definitionOf({ kind: 'script', file: 'x.yaml' }));
    expect(outputOf(await session.ask('go'))).toBe('from x.yaml');
  });
});

describe('the guide', () => {
  it('R-15 explains that it is a script, that no model is configured, and what to set', async () => {
    const { session } = await stage(GUIDE);
    const answer = outputOf(await session.ask('Write me a poem'));
    expect(answer).toContain('a small script');
    expect(answer).toContain('No model is configured');
    expect(answer).toContain('OPENAI_API_KEY');
    expect(answer).toContain('ANTHROPIC_API_KEY');
  });

  it.each([
    ['How do I set a MODEL?', 'OPENAI_BASE_URL'],
    ['what agents are there', '.stoa/agents'],
    ['who are you?', 'not a model'],
    ['how do approvals work', 'stoa approvals'],
    ['channels', 'stoa channel create'],
  ])('answers to %j', async (text, expected) => {
    const { session } = await stage(GUIDE);
    expect(outputOf(await session.ask(text))).toContain(expected);
  });
});
