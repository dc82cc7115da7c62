import { access } from '../access/module.js';
import { on } from '../kernel/hooks.js';
import { defineModule } from '../kernel/module.js';
import { MEMORY_CLEARING } from '../memory/memories.js';
import { memory } from '../memory/module.js';
import { runs } from '../runs/module.js';
import { RUN_COMPLETED } from '../runs/runner.js';
import { sessions } from '../sessions/module.js';
import { tasks } from '../tasks/module.js';
import { AfterRuns, type Extractor } from './after-runs.js';
import { DREAM } from './dream-kind.js';
import type { Dreamer } from './dreamer.js';
import { type DreamPorts, Dreams } from './dreams.js';

export interface DreamModulePorts {
  readonly runtime: {
    readonly memory: {
      /** Without it no notes are extracted. */
      readonly extractor?: Extractor | undefined;
      readonly dreams?: Pick<DreamPorts, 'rules' | 'dreamer' | 'counted'> | undefined;
    };
  };
}

const NO_DREAMS = { isEnabled: false, afterMs: 0, afterSessions: 0 };
const NO_DREAMER: Dreamer = {
  modelProblem: () => Promise.resolve('this daemon has no model for dreams'),
  dream: () => Promise.resolve(),
};

/** Keeps memories useful: extracts notes from runs, and tidies files in dreams. */
export const dreams = defineModule({
  name: 'dreams',
  needs: [access, memory, sessions, runs, tasks],
  create({ sessionContext, taskContext, tasks, timers }, { runtime }: DreamModulePorts) {
    const { extractor, dreams: configured } = runtime.memory;
    const service = new Dreams({
      sessions: sessionContext,
      tasks,
      timers,
      rules: configured?.rules ?? NO_DREAMS,
      dreamer: configured?.dreamer ?? NO_DREAMER,
      counted: configured?.counted ?? (() => undefined),
    });
    taskContext.kinds.add(DREAM);
    taskContext.executors.add(DREAM.kind, service.executor);
    const afterRuns = new AfterRuns(sessionContext, extractor, service);
    return {
      services: { dreams: service, afterRuns },
      within: [
        on(MEMORY_CLEARING, (memoryId) => service.erased(memoryId)),
        on(RUN_COMPLETED, (claim) => {
          afterRuns.completed(claim);
          return undefined;
        }),
      ],
      async close() {
        await afterRuns.close();
        await service.close();
      },
    };
  },
});
