import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  callerOf,
  LiveSocket,
  readSyncTrace,
  type SyncTrace,
  sendSignal,
  startDaemon,
} from '@stoa/testkit';
import { describe, expect, it } from 'vitest';

const POSTERS = 16;
const POSTS_EACH = 15;

function hasStrace(): boolean {
  try {
    execFileSync('strace', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs the real daemon under strace with many posters and one live reader. */
async function traced(
  config: string,
): Promise<{ trace: SyncTrace; status: Record<string, unknown> }> {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-trace-'));
  const file = join(folder, 'trace');
  const calls = 'trace=pwrite64,write,writev,sendto,sendmsg,fdatasync,fsync';
  const wrapper = ['strace', '-f', '-ttt', '-y', '-s', '8192', '-o', file, '-e', calls];
  // On a disk, where there is one: in memory a daemon spares itself a part of what it does there.
  const home = join(folder, 'home');
  mkdirSync(home);
  const daemon = await startDaemon({ home, config, wrapper, timeoutMs: 60_000 });
  try {
    const caller = callerOf(daemon.url, daemon.token);
    await caller.post('/v1/channels', { channelId: 'lobby', title: 'Lobby' });
    const reader = await LiveSocket.open(daemon.url, { token: daemon.token });
    await reader.subscribe('channel:lobby');
    const poster = async (name: number): Promise<void> => {
      for (let i = 0; i < POSTS_EACH; i++) {
        const answer = await caller.post('/v1/channels/lobby/messages', {
          text: `${String(name)}.${String(i)}`,
        });
        expect(answer.status).toBe(201);
      }
    };
    await Promise.all(Array.from({ length: POSTERS }, (_, name) => poster(name)));
    const status = (await caller.get('/v1/status')).json;
    const { pid } = JSON.parse(readFileSync(join(daemon.home, 'daemon.json'), 'utf8')) as {
      pid: number;
    };
    sendSignal(pid, 'SIGTERM');
    await daemon.exited();
    return { trace: readSyncTrace(readFileSync(file, 'latin1')), status };
  } finally {
    await daemon.cleanUp();
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('a trace of the sync calls of the real daemon under load', () => {
  it('F-36 shows every acknowledgement after a completed sync that covers it', async (context) => {
    if (!hasStrace()) context.skip('strace is not installed');
    const { trace, status } = await traced('durability: full\n');
    expect(trace.sent).toBe(POSTERS * POSTS_EACH);
    expect(trace.sentBeforeSync).toEqual([]);
    expect(trace.syncs).toBeGreaterThan(0);
    expect(status).toMatchObject({ durability: 'full', warnings: [] });
  });

  it('F-36 shows acknowledgements without a sync when durability is relaxed, and the status says so', async (context) => {
    if (!hasStrace()) context.skip('strace is not installed');
    const { trace, status } = await traced('durability: relaxed\n');
    expect(trace.sent).toBe(POSTERS * POSTS_EACH);
    expect(trace.sentBeforeSync.length).toBeGreaterThan(0);
    expect(status).toMatchObject({ durability: 'relaxed' });
    expect(JSON.stringify(status['warnings'])).toContain('durability is relaxed');
  });
});
