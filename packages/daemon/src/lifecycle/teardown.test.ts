import { setImmediate as macrotask } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Teardown } from './teardown.js';

describe('stopping what was started', () => {
  it('goes in reverse, one step after the other, also when it is asked for twice', async () => {
    const done: string[] = [];
    const teardown = new Teardown(() => undefined);
    teardown.add('store', () => {
      done.push('store');
    });
    teardown.add('http', async () => {
      await macrotask();
      done.push('http');
    });
    await Promise.all([teardown.run(), teardown.run()]);
    await teardown.run();
    expect(done).toEqual(['http', 'store']);
  });

  it('goes on after a step that failed, and tells', async () => {
    const told: unknown[] = [];
    const teardown = new Teardown((name, error) => told.push([name, String(error)]));
    teardown.add('store', () => {
      told.push('store');
    });
    teardown.add('http', () => Promise.reject(new Error('stuck')));
    await teardown.run();
    expect(told).toEqual([['http', 'Error: stuck'], 'store']);
  });
});
