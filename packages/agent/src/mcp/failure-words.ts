import type { Scrub } from '../builtin/scrub.js';
import { UnsetVariable } from './expand-variables.js';

export interface CallFailure {
  readonly text: string;
  /** There is nobody to talk to any more. */
  readonly isGone: boolean;
}

/** What a call that has no result means: nothing is ever called a second time by itself. */
export async function outcomeOfFailure(error: unknown, scrub: Scrub): Promise<CallFailure> {
  const { ProtocolError, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
  if (error instanceof ProtocolError) {
    return { text: `The server refused the call: ${scrub(error.message)}`, isGone: false };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return {
      text: 'The server did not answer in time; whether the call happened is unknown.',
      isGone: false,
    };
  }
  const reason = await reasonOf(error, scrub);
  return {
    text: `The connection to the server broke (${reason}); whether the call happened is unknown.`,
    isGone: true,
  };
}

/** Why there is no connection, in one line. */
export async function reasonOf(error: unknown, scrub: Scrub): Promise<string> {
  if (error instanceof UnsetVariable) return error.message;
  const { SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return 'it did not answer in time';
  }
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: '' };
  const inner = cause instanceof Error ? (cause as NodeJS.ErrnoException) : undefined;
  const detail = inner?.code ?? inner?.message;
  const whole =
    detail === undefined || message.includes(detail) ? message : `${message} (${detail})`;
  return scrub(whole).replace(/\s+/g, ' ').trim().slice(0, REASON_CHARS).toWellFormed();
}

const REASON_CHARS = 500;
