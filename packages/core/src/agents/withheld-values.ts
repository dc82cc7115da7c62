import {
  type Agent,
  type AgentDefinition,
  type McpServerConfig,
  type Principal,
  StoaError,
} from '@stoa/protocol';
import { callerClass } from '../access/rules.js';
import { stableJson } from '../kernel/stable-json.js';

/**
 * Values in definitions that may be keys: of `env`, of `headers`, and in the address of a server. They are
 * for the programs and servers they are given to, not for everybody who may read a definition or follow
 * a session. So they stand in none of what is stored for a session or shown to others than the owner: a
 * run takes them from the definition as it is then, if that still starts and reaches the same.
 */
const WITHHELD = '[withheld]';

type Values = Readonly<Record<string, string>>;

/** What can be told of a definition. */
export function withhold(definition: AgentDefinition): AgentDefinition {
  const { driver, mcpServers } = definition;
  return {
    ...definition,
    ...(driver.kind === 'acp' && driver.env
      ? { driver: { ...driver, env: hidden(driver.env) } }
      : {}),
    ...(mcpServers
      ? { mcpServers: mapValues(mcpServers, (server) => withholdServer(server)) }
      : {}),
  };
}

/** As somebody may see it. */
export function agentFor(by: Principal, agent: Agent): Agent {
  const { definition } = agent;
  if (!definition || callerClass(by) === 'admin') return agent;
  return { ...agent, definition: withhold(definition) };
}

export function isWithheld(definition: AgentDefinition): boolean {
  return stableJson([definition.driver, definition.mcpServers ?? {}]).includes(WITHHELD);
}

/** What a session keeps, with the values it does not keep. Throws `invalid_agent` where there are none. */
export function complete(kept: AgentDefinition, current: AgentDefinition): AgentDefinition {
  const { driver, mcpServers } = kept;
  const servers = current.mcpServers ?? {};
  return {
    ...kept,
    ...(driver.kind === 'acp' && driver.env
      ? { driver: { ...driver, env: completeDriver(driver.env, kept, current) } }
      : {}),
    ...(mcpServers
      ? {
          mcpServers: mapValues(mcpServers, (server, name) =>
            completeServer(name, server, servers[name]),
          ),
        }
      : {}),
  };
}

function completeDriver(env: Values, kept: AgentDefinition, current: AgentDefinition): Values {
  const from = current.driver.kind === 'acp' ? (current.driver.env ?? {}) : {};
  const isSame = stableJson(programOf(kept)) === stableJson(programOf(current));
  return filled('driver.env', env, isSame ? from : {});
}

function programOf({ driver }: AgentDefinition): unknown {
  return driver.kind === 'acp' ? [driver.preset ?? null, driver.command ?? null] : driver.kind;
}

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
    `${what}: its value is not kept with the session, and its agent has none for the same program or server any more; refresh the session`,
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

/** Nothing but names of the daemon's variables, and how a header says what kind of key it is. */
function isReference(value: string): boolean {
  const rest = value.replaceAll(/\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})/g, '');
  return rest !== value && /^\s*(?:(?:Bearer|Basic|Token)\s*)?$/i.test(rest);
}

/** Without who logs in and what is asked for: keys stand in either. */
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
