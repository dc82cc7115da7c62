import type { Timers } from '@stoa/core';
import { AcpFailure } from './acp-failure.js';
import type { AcpLimits } from './acp-limits.js';
import type { AgentProcess } from './agent-process.js';
import type { Turn } from './turn.js';

/** Rejects if a turn reports nothing for too long. While a tool runs, it is enough that the program answers a ping. */
export function watchSilence(
  turn: Turn,
  process: AgentProcess,
  { silenceMs, pingMs }: AcpLimits,
  timers: Timers,
): { readonly detected: Promise<never>; stop(): void } {
  let cancel = (): void => undefined;
  let isOver = false;
  const detected = new Promise<never>((_, reject) => {
    const check = async (): Promise<void> => {
      if (isOver) return;
      if (turn.quietMs >= silenceMs) {
        if (!turn.hasOpenCalls || !(await process.isAnswering(pingMs))) {
          const seconds = String(Math.round(silenceMs / 1_000));
          const message = `${process.program.name} sent nothing for ${seconds} seconds`;
          reject(new AcpFailure('acp_timeout', message));
          return;
        }
        turn.recordActivity();
      }
      wait();
    };
    const wait = (): void => {
      cancel = timers.after(Math.max(1, silenceMs - turn.quietMs), () => void check());
    };
    wait();
  });
  detected.catch(() => undefined);
  return {
    detected,
    stop() {
      isOver = true;
      cancel();
    },
  };
}
