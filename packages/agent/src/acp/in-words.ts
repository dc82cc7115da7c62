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
  const { code } = error;
  const words = scrub(wordsOf(error));
  if (code === AUTH_REQUIRED) {
    const hint =
      'Log in with the program itself, or give it a key in driver.env: stoa agent put AGENT FILE';
    const told = cut(words, BEFORE_HINT_CHARS).replace(/(?<!\.)\.+$/, '');
    return new AcpFailure('acp_auth_required', `${program.name}: ${told}. ${hint}`);
  }
  const told = cut(words, TOLD_CHARS);
  return new AcpFailure('acp_agent_error', `${program.name}: ${told}`);
}

/** All that an error says. */
export function wordsOf({ message, data }: RequestError): string {
  const details = (data as { readonly details?: unknown } | null | undefined)?.details;
  return typeof details === 'string' ? `${message}: ${details}` : message;
}

const cut = (text: string, chars: number): string => text.slice(0, chars).toWellFormed();

const TOLD_CHARS = 1_000;
/** Short enough that one line has room for the hint that follows. */
const BEFORE_HINT_CHARS = 200;
