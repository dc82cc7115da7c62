import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Issue, StoaError } from '@stoa/protocol';
import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { withoutPassword } from './database-url.js';
import { type Config, ConfigFile, configJsonSchema } from './schema.js';

export interface Flags {
  readonly home?: string | undefined;
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

export interface Settings {
  readonly home: string;
  readonly config: Config;
  /** Where the settings came from, for people. */
  readonly source: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Flags override the environment, which overrides the file, which overrides defaults; the result is validated once,
 * strictly.
 */
export function loadSettings(flags: Flags, variables: Environment): Settings {
  const environment = withoutEmpty(variables);
  const home = resolve(flags.home ?? environment.STOA_HOME ?? join(homedir(), '.stoa'));
  const file = flags.config ?? environment.STOA_CONFIG;
  const path = file === undefined ? join(home, 'stoa.yaml') : resolve(file);
  const fromFile = readConfigFile(path, file !== undefined);
  const overrides = { ...fromEnvironment(environment), ...fromFlags(flags) };
  const merged = isRecord(fromFile) ? { ...fromFile, ...overrides } : fromFile;
  return { home, config: validate(merged, path), source: existsSync(path) ? path : 'defaults' };
}

/** The problems of a configuration, without starting anything. */
export function checkConfig(home: string, file?: string): readonly Issue[] {
  try {
    loadSettings({ home, config: file }, process.env);
    return [];
  } catch (error) {
    if (!(error instanceof StoaError)) throw error;
    return error.issues.length > 0 ? error.issues : [{ path: '', message: error.message }];
  }
}

/** The configuration of a daemon started this way, without the password of a database URL. */
export function effectiveConfig({ flags }: { readonly flags: Flags }): Config {
  const { config } = loadSettings(flags, process.env);
  if (config.store.engine !== 'postgres') return config;
  return { ...config, store: { ...config.store, url: withoutPassword(config.store.url) } };
}

/** `STOA_PORT=` in a service file means: not set. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}

function readConfigFile(path: string, required: boolean): unknown {
  if (!existsSync(path)) {
    if (!required) return {};
    throw invalid(path, [{ path: '', message: 'the file does not exist' }]);
  }
  const document = parseDocument(readText(path), { uniqueKeys: true });
  if (document.errors.length > 0) {
    throw invalid(
      path,
      document.errors.map((error) => ({
        path: `line ${String(error.linePos?.[0].line ?? '?')}`,
        // Without the position, which precedes it, and the excerpt below.
        message: (error.message.split('\n')[0] ?? '').replace(
          /(?: at line \d+, column \d+)?:$/,
          '',
        ),
      })),
    );
  }
  try {
    return (document.toJS() as unknown) ?? {};
  } catch (error) {
    // YAML aliases are resolved only here.
    throw invalid(path, [{ path: '', message: String(error) }]);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw invalid(path, [{ path: '', message: `the file cannot be read: ${String(error)}` }]);
  }
}

function fromEnvironment(environment: Environment): Record<string, unknown> {
  const { STOA_PORT, STOA_HOST, STOA_DURABILITY, STOA_DATABASE_URL, STOA_LOBBY } = environment;
  return {
    ...(STOA_PORT === undefined
      ? {}
      : { port: /^\d+$/.test(STOA_PORT) ? Number(STOA_PORT) : STOA_PORT }),
    ...(STOA_HOST === undefined ? {} : { host: STOA_HOST }),
    ...(STOA_DURABILITY === undefined ? {} : { durability: STOA_DURABILITY }),
    ...(STOA_LOBBY === undefined ? {} : { lobby: STOA_LOBBY }),
    ...(STOA_DATABASE_URL === undefined
      ? {}
      : { store: { engine: 'postgres', url: STOA_DATABASE_URL } }),
  };
}

function fromFlags({ host, port }: Flags): Record<string, unknown> {
  return { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port }) };
}

function validate(value: unknown, path: string): Config {
  const parsed = ConfigFile.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(path, parsed.error.issues.map(toIssue));
}

function toIssue(issue: z.core.$ZodIssue): Issue {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = knownFields(issue.path).join(', ');
    return { path, message: `unknown field ${issue.keys.join(', ')}; known are ${known}` };
  }
  if (issue.code === 'invalid_value') {
    return { path, message: `must be one of ${issue.values.map(String).join(', ')}` };
  }
  return { path, message: issue.message };
}

function invalid(path: string, issues: readonly Issue[]): StoaError {
  const lines = issues.map(
    ({ path: where, message }) => `  ${where === '' ? '(top level)' : where}: ${message}`,
  );
  return new StoaError(
    'config_invalid',
    `The configuration is not valid (file ${path}, environment and flags):\n${lines.join('\n')}`,
    issues,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
}

/** The known fields below a path of the configuration, for people who mistyped one. */
function knownFields(path: readonly PropertyKey[]): string[] {
  let node: SchemaNode = configJsonSchema();
  for (const key of path) node = node.properties?.[String(key)] ?? {};
  const forms = node.anyOf ?? node.oneOf ?? [node];
  return [...new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)))];
}
