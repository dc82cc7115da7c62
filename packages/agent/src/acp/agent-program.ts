import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type DriverConfigOf, StoaError } from '@stoa/protocol';
import { childEnvironment, isSecretName } from '../tools/shell/child-environment.js';
import { isOwn, namedValues } from './named-values.js';
import { PRESETS, type Preset, type ProgramSettings } from './presets.js';

/** An agent program as it is started. */
export interface AgentProgram {
  readonly name: string;
  readonly command: readonly string[];
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Values of it that nobody is to read. */
  readonly secrets: readonly string[];
  readonly ownServerArgs: Preset['ownServerArgs'];
  readonly askingMode: string | undefined;
  readonly loginMethod: string | undefined;
  /** To be chosen in each session, where the program cannot be told it when it starts. */
  readonly sessionModel: string | undefined;
  readonly install: string | undefined;
  /** The directory it works in. One program works in one: others are read-only to it. */
  readonly workspace: string | undefined;
  /** What it keeps for itself, by absolute paths. */
  readonly settings: Pick<ProgramSettings, 'directories' | 'files'>;
  /** Whether what it says when it loads a session ends before it answers; where not, none is loaded. */
  readonly replaysCleanly: boolean;
  /** Whether it reads and writes files through Stoa where that is offered. */
  readonly takesFileCallbacks: boolean;
  /** Whether it offers a session the MCP servers of its other sessions. */
  readonly sharesServers: boolean;
  /** Equal for programs that are started alike. */
  readonly digest: string;
  /** Equal for programs that know the same sessions: keys and paths may change. */
  readonly family: string;
}

/**
 * What a definition starts. With a preset, its `command` only says how the program is called: the
 * arguments of the preset follow it, so that it always asks before it acts. Throws `invalid_agent`.
 */
export function agentProgram(
  config: DriverConfigOf<'acp'>,
  daemonEnvironment: Readonly<NodeJS.ProcessEnv>,
  workspace?: string,
): AgentProgram {
  const preset = config.preset === undefined ? undefined : PRESETS[config.preset];
  const start = config.command ?? (preset && [preset.program]);
  if (!start) throw new StoaError('invalid_agent', 'driver: one of preset and command is needed');
  const model = config.model ?? preset?.defaultModel;
  const told = model === undefined ? {} : (preset?.model(model) ?? {});
  const command = [...start, ...(preset?.args ?? []), ...(told.args ?? [])];
  const written = config.env ?? {};
  const stoas = Object.keys(written).find(isOwn);
  if (stoas !== undefined) {
    throw new StoaError('invalid_agent', `driver.env: ${stoas} is a name of Stoa's own`);
  }
  const values = namedValues(written, 'driver.env', daemonEnvironment);
  // What makes it ask is not for a definition to change.
  const own = { ...(told.env && { [told.env[0]]: told.env[1] }), ...values, ...preset?.env };
  const login = preset?.login;
  const environment = { ...childEnvironment(daemonEnvironment), ...own };
  return {
    name: config.preset ?? command[0] ?? 'agent',
    command,
    environment,
    secrets: secretsOf(written, values),
    ownServerArgs: preset?.ownServerArgs,
    askingMode: preset?.askingMode,
    loginMethod: login && own[login.variable] !== undefined ? login.method : undefined,
    sessionModel: preset ? undefined : config.model,
    install: preset?.install,
    replaysCleanly: preset?.replaysCleanly ?? true,
    takesFileCallbacks: preset?.takesFileCallbacks ?? true,
    sharesServers: preset?.sharesServers ?? false,
    workspace,
    settings: settingsOf(preset?.settings, environment),
    digest: digestOf([command, own, workspace]),
    family: config.preset ?? digestOf(start).slice(0, 16),
  };
}

function settingsOf(
  settings: ProgramSettings | undefined,
  environment: Readonly<Record<string, string>>,
): AgentProgram['settings'] {
  if (!settings) return { directories: [], files: [] };
  const elsewhere = settings.variable && environment[settings.variable];
  if (elsewhere && isAbsolute(elsewhere)) return { directories: [elsewhere], files: [] };
  const inHome = (path: string): string =>
    join(environment['HOME'] ?? homedir(), path.replace(/^~\//, ''));
  return { directories: settings.directories.map(inHome), files: settings.files.map(inHome) };
}

const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Those that are called so, here or in the daemon's environment. */
function secretsOf(
  written: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isSecretName(name) || (/\$/.test(written[name] ?? '') && isSecretName(written[name] ?? ''))
      ? [value]
      : [],
  );
}
