import type { Timers } from '@stoa/core';
import { AcpFailure } from './acp-failure.js';
import type { AgentProcess } from './agent-process.js';
import type { Turn } from './turn.js';

interface SilencePorts {
  readonly timers: Timers;
  readonly silenceMs: number;
  readonly pingMs: number;
}

/**
 * Rejects when nothing was heard of a turn for too long. A tool may take its time, as long as the program
 * itself still answers.
 */
export function watchSilence(
  turn: Turn,
  process: AgentProcess,
  { timers, silenceMs, pingMs }: SilencePorts,
): { readonly happens: Promise<never>; callOff(): void } {
  let stop = (): void => undefined;
  let isOver = false;
  const happens = new Promise<never>((_, reject) => {
    const look = async (): Promise<void> => {
      if (isOver) return;
      if (turn.quietMs >= silenceMs) {
        if (!turn.hasOpenCalls || !(await process.isAnswering(pingMs))) {
          const seconds = String(Math.round(silenceMs / 1_000));
          const words = `${process.program.name} said nothing for ${seconds} seconds`;
          reject(new AcpFailure('acp_timeout', words));
          return;
        }
        turn.touch();
      }
      wait();
    };
    const wait = (): void => {
      stop = timers.after(Math.max(1, silenceMs - turn.quietMs), () => void look());
    };
    wait();
  });
  happens.catch(() => undefined);
  return {
    happens,
    callOff() {
      isOver = true;
      stop();
    },
  };
}
