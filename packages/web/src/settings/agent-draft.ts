import type {
  AgentDefinition,
  DriverConfig,
  McpServerConfig,
  PermissionMode,
} from '@stoa/protocol';

/** A definition as it is written in the form. What the form does not show is kept as it was. */
export interface AgentDraft {
  readonly displayName: string;
  readonly description: string;
  readonly instructions: string;
  readonly mode: PermissionMode;
  readonly kind: DriverConfig['kind'];
  readonly provider: string;
  readonly model: string;
  readonly preset: string;
  /** One argument a line. */
  readonly command: string;
  /** `NAME=value`, one a line. */
  readonly env: string;
  readonly script: string;
  readonly file: string;
  /** One rule a line. */
  readonly allow: string;
  readonly ask: string;
  readonly deny: string;
  /** JSON. */
  readonly mcpServers: string;
}

export const NEW_AGENT: AgentDraft = {
  displayName: '',
  description: '',
  instructions: '',
  mode: 'ask',
  kind: 'builtin',
  provider: '',
  model: '',
  preset: '',
  command: '',
  env: '',
  script: '',
  file: '',
  allow: '',
  ask: '',
  deny: '',
  mcpServers: '',
};

export function draftOf(definition: AgentDefinition): AgentDraft {
  const { driver, permissions = {}, mcpServers } = definition;
  const lines = (list: readonly string[] | undefined): string => (list ?? []).join('\n');
  return {
    ...NEW_AGENT,
    displayName: definition.displayName ?? '',
    description: definition.description ?? '',
    instructions: definition.instructions,
    mode: definition.mode,
    kind: driver.kind,
    ...(driver.kind === 'script'
      ? { script: driver.script ?? '', file: driver.file ?? '' }
      : { model: driver.model ?? '' }),
    ...(driver.kind === 'builtin' ? { provider: driver.provider ?? '' } : {}),
    ...(driver.kind === 'acp'
      ? {
          preset: driver.preset ?? '',
          command: lines(driver.command),
          env: lines(Object.entries(driver.env ?? {}).map(([name, value]) => `${name}=${value}`)),
        }
      : {}),
    allow: lines(permissions.allow),
    ask: lines(permissions.ask),
    deny: lines(permissions.deny),
    mcpServers: mcpServers === undefined ? '' : JSON.stringify(mcpServers, null, 2),
  };
}

type Read =
  | { readonly definition: AgentDefinition }
  | { readonly unreadable: Readonly<Record<string, string>> };

/** The definition that is written, upon what was there before; or at which fields it cannot be read. */
export function definitionFrom(draft: AgentDraft, before?: AgentDefinition): Read {
  const env = environmentFrom(draft.env);
  const servers = serversFrom(draft.mcpServers);
  if (env === undefined || servers === null) {
    return {
      unreadable: {
        ...(env === undefined ? { 'driver.env': 'One NAME=value a line.' } : {}),
        ...(servers === null ? { mcpServers: 'This is no JSON object of names and servers.' } : {}),
      },
    };
  }
  const {
    displayName: _,
    description: __,
    permissions: ___,
    mcpServers: ____,
    ...kept
  } = before ?? { mode: draft.mode, instructions: '' };
  const permissions = {
    ...listed('deny', linesOf(draft.deny)),
    ...listed('ask', linesOf(draft.ask)),
    ...listed('allow', linesOf(draft.allow)),
  };
  return {
    definition: {
      ...kept,
      ...given('displayName', draft.displayName),
      ...given('description', draft.description),
      driver: driverFrom(draft, env, before?.driver),
      mode: draft.mode,
      ...(Object.keys(permissions).length === 0 ? {} : { permissions }),
      ...(servers === undefined ? {} : { mcpServers: servers }),
      instructions: draft.instructions,
    },
  };
}

type Builtin = Extract<DriverConfig, { kind: 'builtin' }>;
const BUILTIN: Builtin = { kind: 'builtin' };

function driverFrom(
  draft: AgentDraft,
  env: Readonly<Record<string, string>>,
  before: DriverConfig | undefined,
): DriverConfig {
  switch (draft.kind) {
    case 'builtin': {
      // Bounds that the form does not show.
      const { provider: _, model: __, ...bounds } = before?.kind === 'builtin' ? before : BUILTIN;
      return {
        ...bounds,
        ...given('provider', draft.provider),
        ...given('model', draft.model),
      };
    }
    case 'acp':
      return {
        kind: 'acp',
        ...(draft.preset === '' ? {} : { preset: draft.preset as 'qwen' }),
        ...listed('command', linesOf(draft.command)),
        ...(Object.keys(env).length === 0 ? {} : { env }),
        ...given('model', draft.model),
      };
    case 'script':
      return {
        kind: 'script',
        ...given('file', draft.file),
        ...(draft.script.trim() === '' ? {} : { script: draft.script }),
      };
  }
}

const given = <K extends string>(name: K, text: string): { [N in K]?: string } =>
  text.trim() === '' ? {} : ({ [name]: text.trim() } as { [N in K]: string });

const listed = <K extends string>(name: K, list: string[]): { [N in K]?: string[] } =>
  list.length === 0 ? {} : ({ [name]: list } as { [N in K]: string[] });

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function environmentFrom(text: string): Record<string, string> | undefined {
  const pairs = linesOf(text).map((line) => /^([^=]+)=(.*)$/s.exec(line));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}

/** Undefined where there is none, null where it cannot be read. */
function serversFrom(text: string): Record<string, McpServerConfig> | undefined | null {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, McpServerConfig>) : null;
  } catch {
    return null;
  }
}
