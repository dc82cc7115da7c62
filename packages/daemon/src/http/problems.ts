import { STATUS_CODES } from 'node:http';
import { type ErrorCode, StoaError } from '@stoa/protocol';
import type { Logger } from 'pino';

const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_MAX_PARAM_LENGTH: 'invalid_request',
  FST_ERR_ASYNC_CONSTRAINT: 'route_not_found',
};

/** A thrown value as an error of the registry; undefined means that it is a defect. */
export function knownError(error: unknown): StoaError | undefined {
  if (error instanceof StoaError) return error;
  const code =
    error instanceof Error && 'code' in error ? FASTIFY_CODES[String(error.code)] : undefined;
  return code === undefined ? undefined : new StoaError(code, undefined, [], { cause: error });
}

/** For callers without a server in between: an upgrade, a malformed request. */
export function rawAnswer(error: StoaError): string {
  const body = JSON.stringify(error.toProblem());
  return [
    `HTTP/1.1 ${String(error.status)} ${STATUS_CODES[error.status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    '',
    body,
  ].join('\r\n');
}

const DEFECT = new StoaError(
  'internal',
  'Something broke inside the daemon; its log has the details',
);

/** The error to answer with; logs a defect, `where` it occurred. */
export function answeredError(
  error: unknown,
  log: Logger,
  where: string,
  fields: object = {},
): StoaError {
  const known = knownError(error);
  if (!known) log.error({ err: error, ...fields }, where);
  return known ?? DEFECT;
}
