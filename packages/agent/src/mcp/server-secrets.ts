import type { McpServerConfig } from '@stoa/protocol';
import { scrubber, scrubJson } from '../builtin/scrub.js';
import type { JsonValue } from '../json-value.js';
import { isSecretName } from '../tools/shell/child-environment.js';
import { expandVariables } from './expand-variables.js';

export interface ServerSecrets {
  /** All values that it received: removed from messages about the server. */
  readonly all: readonly string[];
  /** The keys among them: also removed from the server's own output. */
  readonly keys: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const HARMLESS_HEADER = /^(?:accept|content-type|user-agent)/i;

/** The values that a server receives. */
export function serverSecrets(config: McpServerConfig, environment: Environment): ServerSecrets {
  const isHttp = 'url' in config;
  const written = (isHttp ? config.headers : config.env) ?? {};
  const all: string[] = [];
  const keys: string[] = [];
  for (const [name, value] of Object.entries(written)) {
    const isKey = isHttp ? !HARMLESS_HEADER.test(name) : isSecretName(name);
    const expanded = valueOf(value, environment);
    if (expanded !== undefined) {
      // In `Bearer key`, the key alone is a secret too.
      const forms = [expanded, ...expanded.split(/\s+/).slice(1)];
      all.push(...forms);
      if (isKey || (value.includes('$') && isSecretName(value))) keys.push(...forms);
    }
    // Variables inside a longer value are secrets too.
    for (const [variable, taken] of variablesIn(value, environment)) {
      all.push(taken);
      if (isKey || isHttp || isSecretName(variable)) keys.push(taken);
    }
  }
  const inAddress = isHttp ? addressSecrets(config.url) : [];
  return { all: [...all, ...inAddress], keys: [...keys, ...inAddress] };
}

/** Removes the keys of a server from its output, at any depth. */
export function serverScrubber(
  config: McpServerConfig,
  environment: Environment,
): <T>(output: T) => T {
  const scrub = scrubber(serverSecrets(config, environment).keys);
  return <T>(output: T): T => scrubJson(scrub, output as JsonValue) as T;
}

function valueOf(value: string, environment: Environment): string | undefined {
  try {
    return expandVariables({ value }, environment)['value'];
  } catch {
    // A variable is not set, so there is no value.
    return undefined;
  }
}

function variablesIn(value: string, environment: Environment): [string, string][] {
  return [...value.matchAll(/\$\{?([A-Za-z_]\w*)/g)].flatMap(([, name = '']) => {
    const found = environment[name];
    return found === undefined ? [] : [[name, found] as [string, string]];
  });
}

function addressSecrets(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { username, password, search, searchParams } = new URL(url);
  const login = [username, password].map((part) => decoded(part));
  return [...login, search.slice(1), ...searchParams.values()].filter((part) => part !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
