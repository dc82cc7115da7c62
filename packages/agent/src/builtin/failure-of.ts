import { APICallError } from '@ai-sdk/provider';
import { ModelFailure, type ModelFailureCode } from './model-failure.js';

const TOLD_CHARS = 500;
/** Short enough that one line has room for the hint that follows. */
const BEFORE_HINT_CHARS = 200;

const OTHER_KEY =
  'Set the right key in the environment or in stoa.yaml and start the daemon again: stoa serve';
const OTHER_MODEL =
  'Name another as driver.model: stoa agent put AGENT FILE; or, for agents that name none, as model in stoa.yaml';

const CONTEXT_EXCEEDED =
  /context[ _-]?(?:length|window|size|limit)|maximum context|prompt is too long|input is too long|too many (?:input )?tokens|exceeds? the (?:model|available context)|reduce the length/i;
const QUOTA = /insufficient_quota|exceeded your current quota|credit balance|billing/i;
const OVERLOADED = /overloaded|rate.?limit|too many requests|temporarily|try again/i;

/** What an error of the SDK means. `scrub` takes secrets out of what is told. */
export function failureOf(
  error: unknown,
  who: string,
  now: () => number,
  scrub: (text: string) => string,
): ModelFailure {
  const tell = (what: string): string => scrub(`${who} ${what}: ${told(error)}`);
  if (!APICallError.isInstance(error) || error.statusCode === undefined) {
    return inStream(error, tell);
  }
  const { statusCode: status, responseHeaders = {} } = error;
  const text = `${error.message}\n${error.responseBody ?? ''}`;
  const fail = (code: ModelFailureCode, what: string, retry?: { after: number | undefined }) =>
    new ModelFailure(code, tell(`${what} (${String(status)})`), {
      isRetryable: retry !== undefined,
      retryAfterMs: retry?.after,
    });
  const after = { after: retryAfterMs(responseHeaders, now) };
  const mendable = (code: ModelFailureCode, what: string, hint: string): ModelFailure => {
    const words = told(error, BEFORE_HINT_CHARS).replace(/(?<!\.)\.+$/, '');
    return new ModelFailure(code, scrub(`${who} ${what} (${String(status)}): ${words}. ${hint}`));
  };
  if (status === 401 || status === 403)
    return mendable('model_unauthorized', 'refuses the key', OTHER_KEY);
  if (status === 404) return mendable('model_not_found', 'is not there', OTHER_MODEL);
  if (status === 402 || (status < 500 && QUOTA.test(text)))
    return fail('model_quota_exceeded', 'has nothing left to spend');
  if (status === 429) return fail('model_rate_limited', 'is asked too often', after);
  if (status === 413 || (status < 500 && CONTEXT_EXCEEDED.test(text)))
    return fail('model_context_exceeded', 'cannot take that much');
  if (status >= 500 || status === 408 || status === 409)
    return fail('model_unavailable', 'cannot answer now', after);
  if (status < 300) return fail('model_unavailable', 'answers what cannot be read', after);
  return fail('model_rejected', 'does not take the request');
}

/** The connection failed, the provider broke off, or what it sent could not be read. */
function inStream(error: unknown, tell: (what: string) => string): ModelFailure {
  const text = told(error);
  if (CONTEXT_EXCEEDED.test(text) && !OVERLOADED.test(text))
    return new ModelFailure('model_context_exceeded', tell('cannot take that much'));
  return new ModelFailure('model_unavailable', tell('broke off'), { isRetryable: true });
}

function told(error: unknown, chars = TOLD_CHARS): string {
  return wordsOf(error).replace(/\s+/g, ' ').trim().slice(0, chars).toWellFormed();
}

function wordsOf(error: unknown): string {
  if (error instanceof Error) {
    const cause = error.cause === undefined ? '' : wordsOf(error.cause);
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

/** The finer header first; then seconds or a date. */
function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  now: () => number,
): number | undefined {
  const fine = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(fine)) return Math.max(0, fine);
  const given = headers['retry-after'];
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}
