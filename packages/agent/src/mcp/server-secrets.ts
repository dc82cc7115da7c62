import type { McpServerConfig } from '@stoa/protocol';
import { scrubber } from '../builtin/scrub.js';
import { isNamedLikeSecret } from '../tools/shell/child-environment.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Takes the secrets that a server was given out of what it says: servers repeat them in errors, in
 * what they print before they give up, and in the results of tools.
 */
export function serverScrubber(
  config: McpServerConfig,
  environment: Environment,
): <T>(said: T) => T {
  const scrub = scrubber(secretsOf(config, environment));
  const clean = (said: unknown): unknown => {
    if (typeof said === 'string') return scrub(said);
    if (Array.isArray(said)) return said.map(clean);
    if (typeof said !== 'object' || said === null) return said;
    return Object.fromEntries(Object.entries(said).map(([name, value]) => [name, clean(value)]));
  };
  return <T>(said: T): T => clean(said) as T;
}

/** What is named like one, here or in the environment, and whatever a header takes from there. */
function secretsOf(config: McpServerConfig, environment: Environment): string[] {
  const written = 'url' in config ? config.headers : config.env;
  return Object.entries(written ?? {}).flatMap(([name, value]) => {
    const variables = [...value.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(
      ([, variable = '']) => variable,
    );
    const isSecret = isNamedLikeSecret(name);
    // The word before the secret in `Bearer …` is none.
    if (variables.length === 0) return isSecret ? [value, value.replace(/^\w+ +/, '')] : [];
    return variables
      .filter((variable) => isSecret || 'url' in config || isNamedLikeSecret(variable))
      .flatMap((variable) => environment[variable] ?? []);
  });
}
