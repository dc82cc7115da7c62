import {
  type DriverParts,
  ModelFixture,
  type ModelFixtureOptions,
  type ModelRequest,
} from '@stoa/testkit';
import { onTestFinished } from 'vitest';
import { type BuiltinDriverSettings, createBuiltinDriver } from './builtin-driver.js';

/** A driver with the same behaviour in every run. */
export const builtinDriver = (parts: DriverParts, changes: Partial<BuiltinDriverSettings> = {}) =>
  createBuiltinDriver({
    ...parts,
    environment: {},
    random: () => 0.5,
    ...changes,
  });

/** A stage with the builtin driver. It is closed after the test. */
export async function stage(options: Partial<ModelFixtureOptions> = {}): Promise<ModelFixture> {
  const opened = await ModelFixture.open({ driver: (parts) => builtinDriver(parts), ...options });
  onTestFinished(() => opened.close());
  return opened;
}

export const codeOf = (run: { failure?: { code: string } | undefined }) => run.failure?.code;

export const turnsOf = (request: ModelRequest | undefined) =>
  (request?.conversation.turns ?? []).map(({ role, text }) => `${role}: ${text}`);
