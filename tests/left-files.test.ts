import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '@stoa/protocol';
import { callerOf, startDaemon, until } from '@stoa/testkit';
import { expect, it } from 'vitest';

it('R-12 files of a command that a killed daemon left are gone after the next start', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'stoa-work-'));
  const gate = join(workspace, 'gate');
  writeFileSync(gate, '');
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
    const command = 'echo begun; while [ -e gate ]; do sleep 0.05; done';
    const script = `otherwise: [{ call: { tool: shell, input: { command: '${command}' } } }, { pass: true }]`;
    await owner.put('/v1/agents/worker', { driver: { kind: 'script', script }, mode: 'full' });
    const { json } = await owner.post<Session>('/v1/sessions', { agentId: 'worker', workspace });
    await owner.post(`/v1/sessions/${json.sessionId}/inbox`, { text: 'go' });
    await until('the command has begun', () => read('.output').includes('begun'));
    await first.kill();
    rmSync(gate);
    await until('it has ended, unseen', () => read('.status').includes('exitCode'));
    expect(left().length).toBeGreaterThanOrEqual(3);
    const second = await startDaemon({ home: first.home });
    try {
      expect(left()).toEqual([]);
      expect(existsSync(join(tasks, json.sessionId))).toBe(false);
    } finally {
      await second.cleanUp();
    }
  } finally {
    rmSync(gate, { force: true });
    await first.cleanUp();
    rmSync(first.home, { recursive: true, force: true });
    rmSync(workspace, { recursive: true, force: true });
  }
});
