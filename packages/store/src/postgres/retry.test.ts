import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { ConnectionLost } from './failure.js';
import { withRetries } from './retry.js';

function lost(routine?: string): ConnectionLost {
  const cause = new pg.DatabaseError('cached plan must not change result type', 0, 'error');
  if (routine !== undefined) cause.routine = routine;
  return new ConnectionLost('before_commit', cause);
}

/** Fails so often, then works. Returns how often it was tried. */
async function triesOf(failures: readonly Error[], connections: number): Promise<number> {
  let tries = 0;
  await withRetries(() => {
    const failure = failures[tries];
    tries += 1;
    return failure ? Promise.reject(failure) : Promise.resolve();
  }, connections);
  return tries;
}

describe('trying again', () => {
  it('replaces connections with outdated plans without using up its tries', async () => {
    const outdated = Array.from({ length: 10 }, () => lost('RevalidateCachedQuery'));
    expect(await triesOf([...outdated, lost(), lost()], 10)).toBe(13);
  });

  it('stops when plans are outdated more often than there are connections', async () => {
    const outdated = Array.from({ length: 100 }, () => lost('RevalidateCachedQuery'));
    await expect(triesOf(outdated, 2)).rejects.toThrow('cached plan');
  });

  it('gives up on a connection that is lost repeatedly', async () => {
    await expect(triesOf([lost(), lost(), lost()], 10)).rejects.toThrow('lost');
  });
});
