import { StoaError } from '@stoa/protocol';
import { expandVariables, UnsetVariable } from '../mcp/expand-variables.js';

/**
 * Values as a definition writes them: `$NAME` stands for the variable of the daemon. The daemon's own
 * stay with it. Throws `invalid_agent`.
 */
export function namedValues(
  written: Readonly<Record<string, string>>,
  where: string,
  environment: Readonly<NodeJS.ProcessEnv>,
): Record<string, string> {
  const given = Object.entries(environment).filter(([name]) => !isOwn(name));
  try {
    return expandVariables(written, Object.fromEntries(given));
  } catch (error) {
    if (!(error instanceof UnsetVariable)) throw error;
    throw new StoaError('invalid_agent', `${where}: ${error.message}`);
  }
}

/** Variables of Stoa: tokens, and what a command line of it would take for orders. */
export const isOwn = (name: string): boolean => /^STOA_/i.test(name);
