import { MEMORY_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { defineModule } from '../kernel/module.js';
import { Memories } from './memories.js';
import type { MemorySettings } from './memory-files.js';
import { memoryOf } from './memory-gate.js';
import { MEMORY_EVENTS } from './projection.js';

export interface MemoryPorts {
  readonly runtime: { readonly memory: MemorySettings };
}

/** Memories of sessions: notes and files, by person and namespace. */
export const memory = defineModule({
  name: 'memory',
  needs: [access],
  topics: [{ kind: 'memory', retention: 'permanent', mayFollow: memoryOf }],
  events: MEMORY_EVENTS,
  tables: { memory: MEMORY_TABLES },
  create({ store, log, hooks }, { runtime }: MemoryPorts) {
    return { services: { memories: new Memories(store, log, runtime.memory.files, hooks) } };
  },
});
