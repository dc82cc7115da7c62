import { freshId } from './issue.js';
import type { RefusalReason, RefusalReply } from './reply.js';
import type { Refused } from './wire.js';

interface Shape {
  readonly status: number;
  readonly type: string;
  readonly message: (model: string) => string;
}

const SHAPES: Readonly<Record<RefusalReason, Shape>> = {
  invalid_request: {
    status: 400,
    type: 'invalid_request_error',
    message: () => 'The request body is not valid JSON.',
  },
  unauthorized: {
    status: 401,
    type: 'authentication_error',
    message: () => 'invalid x-api-key',
  },
  forbidden: {
    status: 403,
    type: 'permission_error',
    message: () => 'Your API key does not have permission to use the specified resource.',
  },
  not_found: { status: 404, type: 'not_found_error', message: (model) => `model: ${model}` },
  too_large: {
    status: 413,
    type: 'request_too_large',
    message: () => 'Request exceeds the maximum size',
  },
  rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    message: () => "This request would exceed your organization's rate limit.",
  },
  quota: {
    status: 400,
    type: 'invalid_request_error',
    message: () => 'Your credit balance is too low to access the Anthropic API.',
  },
  context_length: {
    status: 400,
    type: 'invalid_request_error',
    message: () => 'prompt is too long: 200001 tokens > 200000 maximum',
  },
  server_error: { status: 500, type: 'api_error', message: () => 'Internal server error' },
  overloaded: { status: 529, type: 'overloaded_error', message: () => 'Overloaded' },
};

export function refuseAsAnthropic(refusal: RefusalReply, model: string): Refused {
  const shape = SHAPES[refusal.reason];
  const status = refusal.status ?? shape.status;
  const message = refusal.message ?? shape.message(model);
  const requestId = freshId('req_');
  return {
    status,
    headers: {
      'request-id': requestId,
      'x-should-retry': String(status === 429 || status >= 500),
    },
    message,
    body: { type: 'error', error: { type: shape.type, message }, request_id: requestId },
  };
}
