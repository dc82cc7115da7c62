import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callerOf, startDaemon, until } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';

function hasStrace(): boolean {
  try {
    execFileSync('strace', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a disk that fails to sync', () => {
  it('OP-4 ends the daemon with 70 before it acknowledges the write', async ({ skip }) => {
    if (!hasStrace()) skip('strace is not installed');
    // On a disk: where a file system is in memory, a sync is the same call and costs nothing.
    const home = mkdtempSync(join(tmpdir(), 'stoa-failed-sync-'));
    const daemon = await startDaemon({ home, checkAtEnd: false });
    try {
      const owner = callerOf(daemon.url, daemon.token);
      await owner.post('/v1/channels', { channelId: 'room', title: 'Room' });
      const failing = ['-e', 'trace=fdatasync,fsync', '-e', 'inject=fdatasync,fsync:error=EIO'];
      // Of the data only: the search index has syncs of its own.
      const file = ['-P', join(home, 'stoa.db-wal')];
      const tracer = spawn('strace', ['-f', '-p', String(daemon.pid), ...failing, ...file], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const tracerClosed = once(tracer, 'close');
      let output = '';
      tracer.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
      await until('strace is attached', () => output.includes('attached'));
      const answer = await owner
        .post('/v1/channels/room/messages', { text: 'written?' })
        .then(({ status }) => status)
        .catch(() => 'the connection was lost');
      expect(answer).toBe('the connection was lost');
      expect(await daemon.exited()).toBe(70);
      expect(daemon.output().stderr).toContain('the disk failed to sync');
      await tracerClosed;
    } finally {
      await daemon.cleanUp();
    }
  });
});
