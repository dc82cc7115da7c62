import type { Driver, RunContext } from '@stoa/core';
import type { AgentDefinition, DriverKind, Run } from '@stoa/protocol';
import {
  AgentSession,
  definitionOf,
  dyingRun,
  FakeModel,
  type ModelRequest,
  outputOf,
  type Reply,
  RuntimeWorld,
  STORE_ENGINES,
  say,
  type TracedTool,
  TracedTools,
  toolCall,
  until,
  useTools,
  VirtualTimers,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RETRY_RULES } from './builtin/ask-model.js';
import { BuiltinDriver } from './builtin/builtin-driver.js';
import { Models } from './builtin/models.js';
import { ScriptDriver } from './script/script-driver.js';

const LONG_MS = 120_000;

const SCRIPT = `
turns:
  - steps:
      - call: [{ tool: write, input: { n: 1 } }, { tool: write, input: { n: 2 } }]
      - call: [{ tool: write, input: { n: 3 } }, { tool: write, input: { n: 4 } }]
      - say: Done
`;

let model: FakeModel;
beforeAll(async () => {
  model = await FakeModel.start();
});
afterAll(() => model.close());

/** Continues from the messages in the request, like a model. */
function nextStep({ conversation }: ModelRequest): Reply {
  const spoken = conversation.turns.filter(({ role }) => role === 'assistant').length;
  if (spoken >= 2) return say('Done');
  const n = spoken * 2;
  return useTools([toolCall('write', { n: n + 1 }), toolCall('write', { n: n + 2 })]);
}

type MakeDriver = (tools: TracedTools, world: RuntimeWorld) => Driver;
const DRIVERS: readonly { kind: DriverKind; definition: AgentDefinition; make: MakeDriver }[] = [
  {
    kind: 'script',
    definition: definitionOf({ kind: 'script', script: SCRIPT }),
    make: (tools, world) =>
      new ScriptDriver({
        tools,
        timers: new VirtualTimers(world.clock),
        readScript: () => Promise.reject(new Error('there is no file')),
      }),
  },
  {
    kind: 'builtin',
    definition: definitionOf({ kind: 'builtin' }),
    make: (tools, world) => {
      const timers = new VirtualTimers(world.clock);
      const environment = { OPENAI_BASE_URL: model.openaiUrl, OPENAI_MODEL: 'fake-model' };
      return new BuiltinDriver({
        models: new Models({}, environment, { timers, clock: world.clock }),
        tools,
        timers,
        random: () => 0,
        rules: RETRY_RULES,
      });
    },
  },
];

interface Killed {
  readonly run: Run;
  readonly types: readonly string[];
  /** The numbers that were written, by both daemons. */
  readonly written: readonly number[];
  readonly hasDied: boolean;
  readonly replay: boolean;
}

async function killAt(
  { kind, definition, make }: (typeof DRIVERS)[number],
  at: number,
  isKept: boolean,
): Promise<Killed> {
  const [engine] = STORE_ENGINES;
  if (!engine) throw new Error('there is no engine');
  const world = await RuntimeWorld.open(engine);
  try {
    const written: number[] = [];
    const write: TracedTool = ({ n }) => {
      written.push(Number(n));
      return `wrote ${String(n)}`;
    };
    const start = (around: (driver: Driver) => Driver) =>
      world.start({
        builtinAgents: () => Promise.resolve({ writer: definition }),
        drivers: new Map([[kind, around(make(new TracedTools({ write }), world))]]),
      });
    let hasDied = false;
    const dying = (driver: Driver): Driver => ({
      kind,
      capabilities: driver.capabilities,
      execute: (run: RunContext) =>
        driver.execute(
          dyingRun(run, {
            at,
            isKept,
            died: () => {
              hasDied = true;
            },
          }),
        ),
      forget: () => undefined,
      close: () => driver.close(),
    });
    const first = await start(dying);
    const session = await AgentSession.open(first, 'writer');
    const { runId } = await session.submit('go');
    await until(
      'it died or ended',
      async () => hasDied || (await session.types()).includes('completed'),
    );
    await first.abandon();
    const second = await start((driver) => driver);
    const after = session.on(second);
    const run = await after.ended(runId);
    const { ok: replay } = await second.core.checkIntegrity();
    return { run, types: await after.types(), written, hasDied, replay };
  } finally {
    await world.discard();
  }
}

describe.each(DRIVERS)('a run of the $kind driver', (driver) => {
  it.each([
    ['before', false],
    ['after', true],
  ])(
    'R-12 ends once and does nothing twice, killed %s any of its writes',
    async (_, isKept) => {
      model.script(nextStep);
      for (let at = 1, isLast = false; !isLast; at++) {
        const { run, types, written, hasDied, replay } = await killAt(driver, at, isKept);
        isLast = !hasDied;
        // One delivery; twice a message, two calls, two results and an injection; then the last message.
        if (isLast) expect(at).toBeGreaterThan(14);
        const where = `killed at write ${String(at)}`;
        expect(run.status, where).toBe('completed');
        expect(outputOf(run), where).toBe('Done');
        expect(new Set(written).size, where).toBe(written.length);
        expect(types.filter((type) => type === 'tool_call').length, where).toBe(4);
        expect(types.filter((type) => type === 'tool_result').length, where).toBe(4);
        expect(types.filter((type) => type === 'completed').length, where).toBe(1);
        expect(types.filter((type) => type === 'delivered').length, where).toBe(1);
        expect(replay, where).toBe(true);
      }
    },
    LONG_MS,
  );
});
