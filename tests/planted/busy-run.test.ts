import { mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  callerOf,
  DAEMON_ENGINES,
  FAKE_AGENT,
  McpScript,
  openSession,
  submit,
  TestBrowser,
  until,
} from '@stoa/testkit';
import { it } from 'vitest';

const SCRIPT = {
  turns: [
    {
      when: { kind: 'input', contains: 'work' },
      steps: [
        { call: { tool: 'shell', input: { command: 'exec sleep 601', is_background: true } } },
        { say: 'started' },
      ],
    },
  ],
};

/** Run only by tests/killed-run.test.ts, which kills it while it waits and checks what is left. */
it('starts a daemon on PostgreSQL, a shell command, an agent program, an MCP server and a browser, and waits', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'stoa-planted-'));
  const [daemon] = await Promise.all(
    DAEMON_ENGINES.filter(({ name }) => name === 'postgres').map(async (engine) =>
      (await engine.newDirectory()).start(),
    ),
  );
  if (!daemon) throw new Error('there is no engine for PostgreSQL');
  const owner = callerOf(daemon.url, daemon.token);
  const give = async (agentId: string, definition: object, text: string): Promise<void> => {
    await owner.put(`/v1/agents/${agentId}`, { mode: 'full', ...definition });
    await submit(owner, await openSession(owner, { agentId, workspace }), text);
  };
  const script = { kind: 'script', script: JSON.stringify(SCRIPT) };
  const mcpServers = { tools: new McpScript().config() };
  await give('worker', { driver: script, mcpServers }, 'work');
  const program = { kind: 'acp', command: [process.execPath, FAKE_AGENT] };
  await give('program', { driver: program }, '!run sleep 602');
  await TestBrowser.open();
  const ready = process.env['PLANTED_READY'] ?? '';
  const own = [tmpdir(), process.env['STOA_TEST_MEMORY']].filter((one) => one !== undefined);
  writeFileSync(`${ready}-new`, own.map((one) => dirname(one)).join('\n'));
  renameSync(`${ready}-new`, ready);
  await until('the run is killed', () => false, { timeoutMs: 60_000, everyMs: 1_000 });
});
