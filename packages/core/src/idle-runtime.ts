import { StoaError } from '@stoa/protocol';
import type { RuntimePorts } from './create-core.js';
import type { MemoryFiles } from './memory/memory-files.js';

/** A runtime without agents, for a domain that only needs channels. */
export function idleRuntime(changes: Partial<RuntimePorts> = {}): RuntimePorts {
  return {
    daemonId: 'daemon',
    wasHere: () => false,
    timers: { after: () => () => undefined },
    calendar: {
      nextCron: () => {
        throw new StoaError('invalid_schedule', 'There is no calendar here');
      },
    },
    agentFiles: { list: () => Promise.resolve([]) },
    definitionProblem: () => Promise.resolve(undefined),
    definitionLack: () => Promise.resolve(undefined),
    builtinAgents: () => Promise.resolve({}),
    workspaces: {
      resolve: (workspace) => Promise.resolve(workspace ?? '/'),
      instructions: () => Promise.resolve(undefined),
      isShared: () => true,
      isSelfApproved: () => true,
    },
    memory: { files: NO_FILES, maxPromptChars: 12_000 },
    drivers: new Map(),
    configRules: {},
    approvalMs: 24 * 3_600_000,
    diagnose: () => undefined,
    taskExecutors: new Map(),
    taskDirectory: '/tasks',
    location: 'here',
    ...changes,
  };
}

const NO_FILES: MemoryFiles = {
  read: () => Promise.resolve({ files: [], problems: [] }),
  write: () => Promise.reject(new StoaError('internal', 'There is no directory for memories here')),
  remove: () => Promise.resolve(false),
  clear: () => Promise.resolve(),
  pathOf: (directory) => directory,
};
