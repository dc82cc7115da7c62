import { RequestError } from '@agentclientprotocol/sdk';
import { AcpFailure } from './acp-failure.js';

interface Answering {
  readonly program: { readonly name: string };
  readonly scrub: (text: string) => string;
}

const AUTH_REQUIRED = -32000;

/** What a program answered instead of doing what it was asked. */
export function inWords({ program, scrub }: Answering, error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const { code, message, data } = error;
  const details = (data as { readonly details?: unknown } | null | undefined)?.details;
  const words = typeof details === 'string' ? `${message}: ${details}` : message;
  const told = scrub(words).slice(0, TOLD_CHARS).toWellFormed();
  if (code === AUTH_REQUIRED) {
    const hint = 'Log in with the program itself, or give it a key in driver.env.';
    return new AcpFailure(
      'acp_auth_required',
      `${program.name}: ${told.replace(/(?<!\.)\.+$/, '')}. ${hint}`,
    );
  }
  return new AcpFailure('acp_agent_error', `${program.name}: ${told}`);
}

const TOLD_CHARS = 1_000;
