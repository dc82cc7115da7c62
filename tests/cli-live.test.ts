import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Stamped } from '@stoa/protocol';
import { cleanEnvironment, PROGRAM, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { json, ownerOf, type RunningCommand, start, stoa } from './stoa-command.js';

let daemon: TestDaemon;
let run: ReturnType<typeof ownerOf>;
const following: RunningCommand[] = [];

beforeAll(async () => {
  daemon = await startDaemon();
  run = ownerOf(daemon);
});

afterEach(async () => {
  for (const command of following.splice(0)) {
    command.process.kill('SIGKILL');
    await command.ended;
  }
});

afterAll(() => daemon.cleanUp());

function follow(args: readonly string[], env: Record<string, string> = {}): RunningCommand {
  const command = start(['tail', ...args], { env: { STOA_HOME: daemon.home, ...env } });
  following.push(command);
  return command;
}

const shows = (command: RunningCommand, text: string): Promise<true> =>
  until(`the output has ${text}`, () => command.output().out.includes(text));

async function channel(id: string): Promise<void> {
  expect((await run(['channel', 'create', id, '--id', id])).code).toBe(0);
}

describe('stoa tail --follow', () => {
  it('shows what was there and what comes, and ends with 0 on Ctrl-C', async () => {
    await channel('live');
    await run(['send', 'live', 'before']);
    const tail = follow(['live', '-f']);
    await shows(tail, 'owner: before\n');
    const id = (await run(['send', 'live', 'during'])).out.trim();
    await shows(tail, 'owner: during\n');
    await run(['send', 'live', 'a reply', '--thread', id]);
    await shows(tail, '↳ owner: a reply\n');
    await run(['message', 'react', 'live', id, '👍']);
    await shows(tail, `* human:owner reacted with 👍 to ${id}\n`);
    tail.process.kill('SIGINT');
    expect(await tail.ended).toBe(0);
    expect(tail.output().err).toBe('');
  });

  it('F-25 misses nothing and repeats nothing when the daemon is killed and comes back', async () => {
    await channel('restart');
    const tail = follow(['restart', '--follow', '--json', '--since', '0']);
    await run(['send', 'restart', 'one']);
    await shows(tail, '"one"');
    const { home, port } = daemon;
    await daemon.kill();
    await until('the loss is reported', () =>
      tail.output().err.includes('the connection was lost'),
    );
    daemon = await startDaemon({ home, env: { STOA_PORT: String(port) } });
    await run(['send', 'restart', 'two']);
    await shows(tail, '"two"');
    expect(tail.output().err).toContain('reconnected; continuing after');
    const events = tail
      .output()
      .out.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Stamped);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    tail.process.kill('SIGINT');
    expect(await tail.ended).toBe(0);
  });

  it('F-35 ends with 4 when its token is revoked', async () => {
    await channel('revoked');
    const { token, credential } = await json<{
      token: string;
      credential: { credentialId: string };
    }>(run(['token', 'mint', 'eve', '--name', 'tail', '--json']));
    await run(['send', 'revoked', 'hello']);
    const tail = follow(['revoked', '-f'], { STOA_TOKEN: token });
    await shows(tail, 'hello');
    await run(['send', 'revoked', 'live']);
    await shows(tail, 'live');
    await run(['token', 'revoke', credential.credentialId]);
    expect(await tail.ended).toBe(4);
    expect(tail.output().err).toContain('(unauthenticated)');
  });

  it('prints one line of JSON an event without --follow too', async () => {
    await channel('lines');
    for (const text of ['a', 'b', 'c']) await run(['send', 'lines', text]);
    const { out } = await run(['tail', 'lines', '--json', '-n', '2']);
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Stamped);
    expect(events.map(({ type }) => type)).toEqual(['message_posted', 'message_posted']);
    expect((await run(['tail', 'lines', '-n', '2'])).out.match(/owner: [abc]$/gm)).toEqual([
      'owner: b',
      'owner: c',
    ]);
  });

  it('does not mind a reader that has seen enough', async () => {
    await channel('pipe');
    await run(['send', 'pipe', '-'], { input: 'x'.repeat(60_000) });
    await run(['send', 'pipe', '-'], { input: 'y'.repeat(60_000) });
    const script = `'${process.execPath}' '${PROGRAM}' history pipe | head -c 1; echo " \${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], {
      env: { ...cleanEnvironment(), STOA_HOME: daemon.home },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\d 0\n$/);
  });

  it.runIf(fs.existsSync('/dev/full'))('says in one line when there is no space for it', () => {
    const full = fs.openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'channel', 'list'], {
      env: { ...cleanEnvironment(), STOA_HOME: daemon.home },
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    fs.closeSync(full);
    expect(stderr).toMatch(/^stoa: cannot write to standard output: ENOSPC.*\n$/);
    expect(status).toBe(1);
  });
});

describe('stoa serve', () => {
  it('goes on when nobody reads its output any more', async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-unread-'));
    const command = start(['serve'], {
      env: { STOA_HOME: home, STOA_PORT: '0', STOA_LOBBY: 'off' },
    });
    following.push(command);
    await shows(command, 'Log in with');
    command.process.stdout?.destroy();
    command.process.stderr?.destroy();
    for (let each = 0; each < 3; each += 1) {
      // Wrong tokens are worth a line in the log.
      const env = { STOA_HOME: home, STOA_TOKEN: 'wrong' };
      expect((await stoa(['status'], { env })).code).toBe(4);
    }
    expect((await stoa(['status'], { env: { STOA_HOME: home } })).code).toBe(0);
    command.process.kill('SIGTERM');
    expect(await command.ended).toBe(0);
    fs.rmSync(home, { recursive: true });
  });
});
