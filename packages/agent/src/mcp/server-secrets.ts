import type { McpServerConfig } from '@stoa/protocol';
import { isSecretName } from '../tools/shell/child-environment.js';
import { expandVariables } from './expand-variables.js';

export interface ServerSecrets {
  /** All that it was given: none of it has to stand in what is said about the server. */
  readonly given: readonly string[];
  /** What of it is a key: that does not stand in what the server says either. */
  readonly keys: readonly string[];
}

const HARMLESS_HEADER = /^(?:accept|content-type|user-agent)/i;

/** The values that a server is given, as it gets them. */
export function serverSecrets(
  config: McpServerConfig,
  environment: Readonly<Record<string, string | undefined>>,
): ServerSecrets {
  const written = ('url' in config ? config.headers : config.env) ?? {};
  const given: string[] = [];
  const keys: string[] = [];
  for (const [name, value] of Object.entries(written)) {
    const expanded = valueOf(value, environment);
    if (expanded === undefined) continue;
    const isKey =
      'url' in config
        ? !HARMLESS_HEADER.test(name)
        : isSecretName(name) || (value.includes('$') && isSecretName(value));
    // Of `Bearer key` the key alone is one too.
    const forms = [expanded, ...expanded.split(/\s+/).slice(1)];
    given.push(...forms);
    if (isKey) keys.push(...forms);
  }
  const inAddress = 'url' in config ? addressSecrets(config.url) : [];
  return { given: [...given, ...inAddress], keys: [...keys, ...inAddress] };
}

function valueOf(
  value: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  try {
    return expandVariables({ value }, environment)['value'];
  } catch {
    // A variable that is not set: there is nothing to keep.
    return undefined;
  }
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
