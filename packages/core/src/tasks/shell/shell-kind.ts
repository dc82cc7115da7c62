import { z } from 'zod';
import type { TaskKind } from '../kind.js';

/** What is known of a command that runs in the background. */
export const ShellDetail = z.looseObject({
  command: z.string(),
  cwd: z.string().optional(),
  pid: z.int().optional(),
  nonce: z.string().optional(),
  /** Its standard input is open, and messages go there. */
  stdin: z.boolean().optional(),
});

export const SHELL: TaskKind = {
  kind: 'shell',
  detail: ShellDetail,
  atOnceInSession: 64,
  whenFull: 'refuse',
  keepsFinished: 32,
  ownerEnded: 'hand_over',
  afterRestart: () => 'reattach',
  canRevive: false,
  refusesMessage: ({ detail }) =>
    detail['stdin'] === true
      ? undefined
      : 'its standard input is closed; a command takes messages when it is started with an open one',
};
