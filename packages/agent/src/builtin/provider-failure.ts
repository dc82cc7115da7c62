import { APICallError } from '@ai-sdk/provider';
import { ModelFailure, type ModelFailureCode } from './model-failure.js';

const MESSAGE_CHARS = 500;
/** Leaves room for the hint on the same line. */
const MESSAGE_CHARS_BEFORE_HINT = 200;

const OTHER_KEY =
  'Set the right key in the environment or in stoa.yaml and start the daemon again: stoa serve';
const OTHER_MODEL =
  'Name another as driver.model: stoa agent put AGENT FILE; or, for agents that name none, as model in stoa.yaml';

const CONTEXT_EXCEEDED =
  /context[ _-]?(?:length|window|size|limit)|maximum context|prompt is too long|input is too long|too many (?:input )?tokens|exceeds? the (?:model|available context)|reduce the length/i;
const QUOTA = /insufficient_quota|exceeded your current quota|credit balance|billing/i;
const OVERLOADED = /overloaded|rate.?limit|too many requests|temporarily|try again/i;

/** Converts an error of the SDK. `scrub` removes secrets from the message. */
export function providerFailure(
  error: unknown,
  who: string,
  now: () => number,
  scrub: (text: string) => string,
): ModelFailure {
  const describe = (problem: string): string => scrub(`${who} ${problem}: ${shortMessage(error)}`);
  if (!APICallError.isInstance(error) || error.statusCode === undefined) {
    return streamFailure(error, describe);
  }
  const { statusCode: status, responseHeaders = {} } = error;
  const text = `${error.message}\n${error.responseBody ?? ''}`;
  const fail = (code: ModelFailureCode, problem: string, retry?: { after: number | undefined }) =>
    new ModelFailure(code, describe(`${problem} (${String(status)})`), {
      isRetryable: retry !== undefined,
      retryAfterMs: retry?.after,
    });
  const after = { after: retryAfterMs(responseHeaders, now) };
  const fixable = (code: ModelFailureCode, problem: string, hint: string): ModelFailure => {
    const message = shortMessage(error, MESSAGE_CHARS_BEFORE_HINT).replace(/(?<!\.)\.+$/, '');
    return new ModelFailure(
      code,
      scrub(`${who} ${problem} (${String(status)}): ${message}. ${hint}`),
    );
  };
  if (status === 401 || status === 403)
    return fixable('model_unauthorized', 'refuses the key', OTHER_KEY);
  if (status === 404) return fixable('model_not_found', 'is not there', OTHER_MODEL);
  if (status === 402 || (status < 500 && QUOTA.test(text)))
    return fail('model_quota_exceeded', 'has exceeded its quota');
  if (status === 429) return fail('model_rate_limited', 'limits the rate of requests', after);
  if (status === 413 || (status < 500 && CONTEXT_EXCEEDED.test(text)))
    return fail('model_context_exceeded', 'cannot accept so much input');
  if (status >= 500 || status === 408 || status === 409)
    return fail('model_unavailable', 'cannot answer now', after);
  if (status < 300) return fail('model_unavailable', 'sent an unreadable answer', after);
  return fail('model_rejected', 'rejects the request');
}

/** The connection failed, or the answer was incomplete or unreadable. */
function streamFailure(error: unknown, describe: (problem: string) => string): ModelFailure {
  const text = shortMessage(error);
  if (CONTEXT_EXCEEDED.test(text) && !OVERLOADED.test(text))
    return new ModelFailure('model_context_exceeded', describe('cannot accept so much input'));
  return new ModelFailure('model_unavailable', describe('failed while it answered'), {
    isRetryable: true,
  });
}

function shortMessage(error: unknown, chars = MESSAGE_CHARS): string {
  return messageOf(error).replace(/\s+/g, ' ').trim().slice(0, chars).toWellFormed();
}

function messageOf(error: unknown): string {
  if (error instanceof Error) {
    const cause = error.cause === undefined ? '' : messageOf(error.cause);
    return cause === '' || error.message.includes(cause)
      ? error.message
      : `${error.message} (${cause})`;
  }
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, type } = error as { message?: unknown; type?: unknown };
  if (typeof message === 'string')
    return typeof type === 'string' ? `${type}: ${message}` : message;
  return JSON.stringify(error);
}

/** Prefers the header in milliseconds to the one in seconds or with a date. */
function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  now: () => number,
): number | undefined {
  const milliseconds = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(milliseconds))
    return Math.max(0, milliseconds);
  const given = headers['retry-after'];
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}
