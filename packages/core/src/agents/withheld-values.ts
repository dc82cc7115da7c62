import {
  type Agent,
  type AgentDefinition,
  type DriverSpec,
  driverSpec,
  type McpServerConfig,
  type Principal,
  StoaError,
} from '@stoa/protocol';
import { callerClass } from '../access/rules.js';
import { stableJson } from '../kernel/stable-json.js';

/**
 * Values in definitions that may be keys: those that the specification of a driver names, `env` and `headers` of MCP
 * servers, and parts of the address of a server. Only the programs and servers that need them get them. They are not
 * stored with a session and not shown to others than the owner: a run takes them from the current definition, if that
 * still starts the same program and reaches the same server.
 */
const WITHHELD = '[withheld]';

type Values = Readonly<Record<string, string>>;

/** A definition without these values. */
export function withhold(definition: AgentDefinition): AgentDefinition {
  const { driver, mcpServers } = definition;
  return {
    ...definition,
    driver: withholdDriver(driverSpec(driver.kind), driver),
    ...(mcpServers
      ? { mcpServers: mapValues(mcpServers, (server) => withholdServer(server)) }
      : {}),
  };
}

/** An agent as a caller may see it. */
export function agentFor(by: Principal, agent: Agent): Agent {
  const { definition } = agent;
  if (!definition || callerClass(by) === 'admin') return agent;
  return { ...agent, definition: withhold(definition) };
}

export function isWithheld(definition: AgentDefinition): boolean {
  return stableJson([definition.driver, definition.mcpServers ?? {}]).includes(WITHHELD);
}

/** Adds the withheld values to a session's copy. Throws `invalid_agent` if the current definition lacks one. */
export function complete(kept: AgentDefinition, current: AgentDefinition): AgentDefinition {
  const { driver, mcpServers } = kept;
  const servers = current.mcpServers ?? {};
  return {
    ...kept,
    driver: completeDriver(driverSpec(driver.kind), driver, current.driver),
    ...(mcpServers
      ? {
          mcpServers: mapValues(mcpServers, (server, name) =>
            completeServer(name, server, servers[name]),
          ),
        }
      : {}),
  };
}

function withholdDriver<C extends AnyDriver>({ secrets }: DriverSpec<C>, config: C): C {
  const values = secretsOf(config, secrets?.field);
  return secrets && values ? { ...config, [secrets.field]: hidden(values) } : config;
}

/** Takes values from the current configuration, if it has the same recipient. */
function completeDriver<C extends AnyDriver>({ secrets }: DriverSpec<C>, kept: C, current: C): C {
  const values = secretsOf(kept, secrets?.field);
  if (!secrets || !values) return kept;
  const { field } = secrets;
  const recipientOf = (config: C): string => stableJson(secrets.recipient(config));
  const isSame = kept.kind === current.kind && recipientOf(kept) === recipientOf(current);
  const from = isSame ? (secretsOf(current, field) ?? {}) : {};
  return { ...kept, [field]: filled(`driver.${field}`, values, from) };
}

type AnyDriver = { readonly kind: string };

/** The schema of the driver makes the field a record of strings. */
const secretsOf = (config: AnyDriver, field: string | undefined): Values | undefined =>
  field === undefined ? undefined : (Reflect.get(config, field) as Values | undefined);

function completeServer(
  name: string,
  kept: McpServerConfig,
  current: McpServerConfig | undefined,
): McpServerConfig {
  const where = `mcpServers.${name}`;
  if ('url' in kept) {
    const isSame = current && 'url' in current && hiddenUrl(current.url) === kept.url;
    const isUrlKept = !kept.url.includes(WITHHELD);
    if (!isSame && !isUrlKept) throw lost(`${where}.url`);
    const url = isSame ? current.url : kept.url;
    if (!kept.headers) return { url };
    const from = isSame ? (current.headers ?? {}) : {};
    return { url, headers: filled(`${where}.headers`, kept.headers, from) };
  }
  const { env, ...program } = kept;
  if (!env) return kept;
  const { env: others = {}, ...other } =
    current && 'command' in current ? current : { command: '' };
  const isSame = stableJson(program) === stableJson(other);
  return { ...program, env: filled(`${where}.env`, env, isSame ? others : {}) };
}

function filled(where: string, kept: Values, from: Values): Record<string, string> {
  return mapValues(kept, (value, name) => {
    if (value !== WITHHELD) return value;
    const found = Object.hasOwn(from, name) ? from[name] : undefined;
    if (found === undefined) throw lost(`${where}.${name}`);
    return found;
  });
}

function lost(what: string): StoaError {
  return new StoaError(
    'invalid_agent',
    `${what}: its value is not stored with the session, and its agent no longer has one for the same program or server; refresh the session`,
  );
}

function withholdServer(server: McpServerConfig): McpServerConfig {
  if ('url' in server) {
    const { url, headers } = server;
    return { url: hiddenUrl(url), ...(headers ? { headers: hidden(headers) } : {}) };
  }
  return { ...server, ...(server.env ? { env: hidden(server.env) } : {}) };
}

const hidden = (values: Values): Record<string, string> =>
  mapValues(values, (value) => (value === '' || isReference(value) ? value : WITHHELD));

/** Whether a value consists of names of the daemon's variables, optionally after a scheme such as `Bearer`. */
function isReference(value: string): boolean {
  const rest = value.replaceAll(/\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})/g, '');
  return rest !== value && /^\s*(?:(?:Bearer|Basic|Token)\s*)?$/i.test(rest);
}

/** Without user and query, which can contain keys. */
function hiddenUrl(url: string): string {
  const scheme = /^https?:\/\//.exec(url)?.[0];
  if (scheme === undefined) return `?${WITHHELD}`;
  const [address = ''] = url.slice(scheme.length).split(/[?#]/, 1);
  const [authority = ''] = address.split('/', 1);
  const shown = address.slice(authority.lastIndexOf('@') + 1);
  return scheme.length + shown.length === url.length ? url : `${scheme}${shown}?${WITHHELD}`;
}

function mapValues<T, R>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(value, name)]),
  );
}
