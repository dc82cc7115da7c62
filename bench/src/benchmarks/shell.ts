import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { builtinTools, Sandbox, ToolRunner } from '@stoa/agent';
import { decide } from '@stoa/core';
import type { Benchmark } from '../benchmark.js';
import { alternate, type Block, millisecondsEach } from '../measure/alternate.js';
import { type Figure, figureOf } from '../measure/figure.js';
import { type HeldRuns, openHeldRuns } from '../world/held-runs.js';

const OPERATIONS = 5;

export const shell: Benchmark = {
  description: '`true` through the shell tool, in a sandbox and without ÷ spawning it bare',
  async run(form, scope) {
    const extent =
      form === 'short'
        ? { pairs: 15, seconds: 6, warmUp: 3 }
        : { pairs: 150, seconds: 60, warmUp: 10 };
    const runs = await openHeldRuns(scope);
    const { home, workspace } = runs;
    const bare = millisecondsEach(OPERATIONS, async () => {
      for (let i = 0; i < OPERATIONS; i++) await spawnBare(workspace);
    });

    const without = new Sandbox({ home, bubblewrap: null });
    const within = new Sandbox({ home });
    const parts: [part: string, Sandbox][] = [['no sandbox', without]];
    const { kind, summary } = await within.report();
    if (kind === 'none') console.log(`shell: no part in a sandbox: ${summary}`);
    else parts.push([`in ${kind}`, within]);

    const figures: Figure[] = [];
    for (const [part, sandbox] of parts) {
      const pairs = await alternate(await throughTool(runs, sandbox), bare, extent);
      figures.push(figureOf({ bench: 'shell', part, unit: 'ms', goal: '<=3' }, pairs));
    }
    return figures;
  },
};

/** As an agent's call: decided about, journaled before and after, synced. */
async function throughTool(runs: HeldRuns, sandbox: Sandbox): Promise<Block> {
  const { home } = runs;
  const run = await runs.open();
  const tools = builtinTools({
    tasksDirectory: join(home, 'tasks'),
    sandbox,
  });
  const now = (): number => performance.now();
  const runner = new ToolRunner({ tools, decide, home, now, diagnose: console.error });
  let calls = 0;
  return millisecondsEach(OPERATIONS, async () => {
    for (let i = 0; i < OPERATIONS; i++) {
      calls += 1;
      const call = { run, callId: `call_${calls}`, tool: 'shell', input: { command: 'true' } };
      const { outcome, output } = await runner.call(call);
      if (outcome !== 'ok') throw new Error(`the shell tool: ${output}`);
    }
  });
}

function spawnBare(cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', 'true'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`bash ended with ${String(code)}`));
    });
  });
}
