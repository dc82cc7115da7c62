import { type ErrorCode, StoaError } from '@stoa/protocol';

const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_ASYNC_CONSTRAINT: 'route_not_found',
};

/** Whatever was thrown, as an error of the registry; undefined means it is a defect of ours. */
export function knownError(error: unknown): StoaError | undefined {
  if (error instanceof StoaError) return error;
  const code =
    error instanceof Error && 'code' in error ? FASTIFY_CODES[String(error.code)] : undefined;
  return code === undefined ? undefined : new StoaError(code, undefined, [], { cause: error });
}

export const DEFECT = new StoaError(
  'internal',
  'Something broke inside the daemon; its log has the details',
);
