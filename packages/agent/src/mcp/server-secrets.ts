import type { McpServerConfig } from '@stoa/protocol';
import { scrubber, scrubJson } from '../builtin/scrub.js';
import type { JsonValue } from '../json-value.js';
import { isSecretName } from '../tools/shell/child-environment.js';
import { expandVariables } from './expand-variables.js';

export interface ServerSecrets {
  /** All that it was given: none of it has to stand in what is said about the server. */
  readonly given: readonly string[];
  /** What of it is a key: that does not stand in what the server says either. */
  readonly keys: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const HARMLESS_HEADER = /^(?:accept|content-type|user-agent)/i;

/** The values that a server is given, as it gets them. */
export function serverSecrets(config: McpServerConfig, environment: Environment): ServerSecrets {
  const isHttp = 'url' in config;
  const written = (isHttp ? config.headers : config.env) ?? {};
  const given: string[] = [];
  const keys: string[] = [];
  for (const [name, value] of Object.entries(written)) {
    const isKey = isHttp ? !HARMLESS_HEADER.test(name) : isSecretName(name);
    const expanded = valueOf(value, environment);
    if (expanded !== undefined) {
      // Of `Bearer key` the key alone is one too.
      const forms = [expanded, ...expanded.split(/\s+/).slice(1)];
      given.push(...forms);
      if (isKey || (value.includes('$') && isSecretName(value))) keys.push(...forms);
    }
    // What stands among other words is found alone too.
    for (const [variable, taken] of variablesIn(value, environment)) {
      given.push(taken);
      if (isKey || isHttp || isSecretName(variable)) keys.push(taken);
    }
  }
  const inAddress = isHttp ? addressSecrets(config.url) : [];
  return { given: [...given, ...inAddress], keys: [...keys, ...inAddress] };
}

/** Takes the keys that a server was given out of what it says, however deep they stand in it. */
export function serverScrubber(
  config: McpServerConfig,
  environment: Environment,
): <T>(said: T) => T {
  const scrub = scrubber(serverSecrets(config, environment).keys);
  return <T>(said: T): T => scrubJson(scrub, said as JsonValue) as T;
}

function valueOf(value: string, environment: Environment): string | undefined {
  try {
    return expandVariables({ value }, environment)['value'];
  } catch {
    // A variable that is not set: there is nothing to keep.
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
