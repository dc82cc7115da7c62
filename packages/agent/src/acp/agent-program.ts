import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type DriverConfigOf, StoaError } from '@stoa/protocol';
import { expandVariables, UnsetVariable } from '../mcp/expand-variables.js';
import { childEnvironment, isSecretName } from '../tools/shell/child-environment.js';
import { PRESETS, type Preset, type ProgramSettings } from './presets.js';

/** How an agent program is started. */
export interface AgentProgram {
  readonly name: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Values of its environment that must not appear in output. */
  readonly secrets: readonly string[];
  readonly ownServerArgs: Preset['ownServerArgs'];
  readonly askingMode: string | undefined;
  readonly loginMethod: string | undefined;
  /** The model to select in each session; undefined if it is selected at the start. */
  readonly sessionModel: string | undefined;
  readonly install: string | undefined;
  /** The only workspace that the program may write to. */
  readonly workspace: string | undefined;
  /** Absolute paths of its own files. */
  readonly settings: Pick<ProgramSettings, 'directories' | 'files'>;
  readonly replaysCleanly: boolean;
  readonly takesFileCallbacks: boolean;
  readonly sharesServers: boolean;
  /** Equal for programs with the same command, environment and workspace. */
  readonly digest: string;
  /** Equal for programs that share their sessions: their keys and paths may differ. */
  readonly family: string;
}

/**
 * The program of a definition. With a preset, `command` replaces only the name of the program: the arguments of the preset
 * follow it, so that the program asks before it acts. Throws `invalid_agent`.
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
  const modelOptions = model === undefined ? {} : (preset?.model(model) ?? {});
  const command = [...start, ...(preset?.args ?? []), ...(modelOptions.args ?? [])];
  const written = config.env ?? {};
  const reserved = Object.keys(written).find(isReserved);
  if (reserved !== undefined) {
    throw new StoaError('invalid_agent', `driver.env: ${reserved} is reserved for Stoa`);
  }
  const values = expandForAgent(written, 'driver.env', daemonEnvironment);
  const modelVariable = modelOptions.env && { [modelOptions.env[0]]: modelOptions.env[1] };
  // A definition must not override the variables of the preset, which make the program ask.
  const own = { ...modelVariable, ...values, ...preset?.env };
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

/** The values whose variable has the name of a secret, here or in the daemon's environment. */
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

/**
 * Replaces `$NAME` by variables of the daemon, except for Stoa's own, which never leave it. `field` is the part of the
 * definition. Throws `invalid_agent`.
 */
export function expandForAgent(
  values: Readonly<Record<string, string>>,
  field: string,
  environment: Readonly<NodeJS.ProcessEnv>,
): Record<string, string> {
  const available = Object.entries(environment).filter(([name]) => !isReserved(name));
  try {
    return expandVariables(values, Object.fromEntries(available));
  } catch (error) {
    if (!(error instanceof UnsetVariable)) throw error;
    throw new StoaError('invalid_agent', `${field}: ${error.message}`);
  }
}

/** Variables of Stoa hold tokens, and options for its command line. */
const isReserved = (name: string): boolean => /^STOA_/i.test(name);
