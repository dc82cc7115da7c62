import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callerOf, openSession, startDaemon, submit, until } from '@stoa/testkit';
import { expect, it } from 'vitest';

it('R-12 files of a command that a killed daemon left are gone after the next start', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'stoa-work-'));
  const first = await startDaemon();
  const tasks = join(first.home, 'tasks');
  const left = (): string[] =>
    existsSync(tasks)
      ? readdirSync(tasks, { recursive: true, encoding: 'utf8' }).filter((name) =>
          /shell-/.test(name),
        )
      : [];
  const read = (part: string): string => {
    const name = left().find((one) => one.endsWith(part));
    return name === undefined ? '' : readFileSync(join(tasks, name), 'utf8');
  };
  try {
    const owner = callerOf(first.url, first.token);
    const command = 'echo begun; sleep 600';
    const script = `otherwise: [{ call: { tool: shell, input: { command: '${command}' } } }, { pass: true }]`;
    await owner.put('/v1/agents/worker', { driver: { kind: 'script', script }, mode: 'full' });
    const sessionId = await openSession(owner, { agentId: 'worker', workspace });
    await submit(owner, sessionId, 'go');
    await until('the command has begun', () => read('.output').includes('begun'));
    const [record = ''] = read('.status').split('\n');
    const { pid } = JSON.parse(record) as { pid: number };
    await first.kill();
    await until('it has ended with its daemon', () => !isRunning(pid));
    expect(left().length).toBeGreaterThanOrEqual(3);
    const second = await startDaemon({ home: first.home });
    try {
      expect(left()).toEqual([]);
      expect(existsSync(join(tasks, sessionId))).toBe(false);
    } finally {
      await second.cleanUp();
    }
  } finally {
    await first.cleanUp();
    rmSync(first.home, { recursive: true, force: true });
    rmSync(workspace, { recursive: true, force: true });
  }
});

function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${String(pid)}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
