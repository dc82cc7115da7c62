import type { Clock, Timers } from '@stoa/core';
import type { ModelsConfig } from '@stoa/protocol';
import type { CallTools } from '../call-tools.js';
import { RETRY_RULES, type RetryRules } from './ask-model.js';
import { BuiltinDriver } from './builtin-driver.js';
import { Models } from './models.js';

export interface BuiltinDriverSettings {
  readonly config: ModelsConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly tools: CallTools;
  readonly timers: Timers;
  readonly clock: Clock;
  /** From 0 up to and without 1. */
  readonly random: () => number;
}

/** The builtin driver as the configuration wants it. */
export function createBuiltinDriver(settings: BuiltinDriverSettings): BuiltinDriver {
  const { config, environment, tools, timers, clock, random } = settings;
  const models = new Models(config, environment, { timers, clock });
  return new BuiltinDriver({ models, tools, timers, random, rules: rulesOf(config) });
}

function rulesOf({ modelRetries = {} }: ModelsConfig): RetryRules {
  const { attempts = RETRY_RULES.attempts, maxWaitSeconds } = modelRetries;
  const maxWaitMs = maxWaitSeconds === undefined ? RETRY_RULES.maxWaitMs : maxWaitSeconds * 1_000;
  return { ...RETRY_RULES, attempts, maxWaitMs };
}
