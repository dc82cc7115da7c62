import { setImmediate as macrotask } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Teardown } from './teardown.js';

describe('stopping what was started', () => {
  it('runs in reverse, one step after the other, also if it is called twice', async () => {
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

  it('continues after a failed step, and reports it', async () => {
    const reported: unknown[] = [];
    const teardown = new Teardown((name, error) => reported.push([name, String(error)]));
    teardown.add('store', () => {
      reported.push('store');
    });
    teardown.add('http', () => Promise.reject(new Error('stuck')));
    await teardown.run();
    expect(reported).toEqual([['http', 'Error: stuck'], 'store']);
  });
});
