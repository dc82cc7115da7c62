import { openSqlite, SqliteStore, type Store } from '@stoa/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { corePorts } from './core-ports.fixture.js';
import { createCore } from './create-core.js';

describe('the domain', () => {
  let store: Store;

  beforeEach(() => {
    store = new SqliteStore(openSqlite(':memory:'), { durability: 'relaxed' });
  });
  afterEach(() => store.close());

  it('does not compile without the ports that its modules need', () => {
    const ports = corePorts(store);
    const { files: _files, ...withoutFiles } = ports;
    // @ts-expect-error -- `assets` needs `files`
    createCore(withoutFiles);
    const { memory: _memory, ...runtime } = ports.runtime;
    // @ts-expect-error -- `memory` needs `runtime.memory`
    expect(() => createCore({ ...ports, runtime })).toThrow(TypeError);
    const { runtime: _runtime, ...withoutRuntime } = ports;
    // @ts-expect-error -- every session needs `runtime`
    expect(() => createCore(withoutRuntime)).toThrow(TypeError);
    expect(createCore(ports)).toHaveProperty('sessions');
  });
});
