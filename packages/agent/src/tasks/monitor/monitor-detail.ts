import { DEFAULT_EVENTS, DEFAULT_IDLE_MS } from '@stoa/core';
import { z } from 'zod';

export const MessageSignal = z.enum(['SIGUSR1', 'SIGUSR2', 'SIGHUP']);
export type MessageSignal = z.infer<typeof MessageSignal>;

const count = z.int().min(0).default(0);

/** What stands in the entry of a monitor: what it was started with, and how far it had come when it told last. */
export const MonitorDetail = z.looseObject({
  command: z.string(),
  /** By which its processes are known again. */
  nonce: z.string().default(''),
  maxEvents: z.int().min(1).default(DEFAULT_EVENTS),
  idleMs: z.int().min(1).default(DEFAULT_IDLE_MS),
  include: z.string().optional(),
  exclude: z.string().optional(),
  /** A message to it is this signal. */
  messageSignal: MessageSignal.optional(),
  offset: count,
  isInRest: z.boolean().default(false),
  events: count,
  dropped: count,
  missedBytes: count,
});
