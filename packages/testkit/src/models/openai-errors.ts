import { freshId } from './issue.js';
import type { RefusalReason, RefusalReply } from './reply.js';
import type { Refused } from './wire.js';

interface Shape {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly param?: string;
  readonly message: (model: string) => string;
}

const SHAPES: Readonly<Record<RefusalReason, Shape>> = {
  invalid_request: {
    status: 400,
    type: 'invalid_request_error',
    code: null,
    message: () => 'We could not parse your request.',
  },
  unauthorized: {
    status: 401,
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    message: () =>
      'Incorrect API key provided. You can find your API key in your account settings.',
  },
  forbidden: {
    status: 403,
    type: 'invalid_request_error',
    code: 'unsupported_country_region_territory',
    message: () => 'Country, region, or territory not supported',
  },
  not_found: {
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    message: (model) => `The model \`${model}\` does not exist or you do not have access to it.`,
  },
  too_large: {
    status: 413,
    type: 'invalid_request_error',
    code: null,
    message: () => 'Maximum content size limit exceeded.',
  },
  rate_limited: {
    status: 429,
    type: 'tokens',
    code: 'rate_limit_exceeded',
    message: (model) =>
      `Rate limit reached for ${model} on tokens per min (TPM): Limit 30000, Used 30000. Please try again later.`,
  },
  quota: {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: () => 'You exceeded your current quota, please check your plan and billing details.',
  },
  context_length: {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    param: 'messages',
    message: () =>
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 8193 tokens. Please reduce the length of the messages.",
  },
  server_error: {
    status: 500,
    type: 'server_error',
    code: null,
    message: () => 'The server had an error while processing your request. Sorry about that!',
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    code: null,
    message: () => 'The engine is currently overloaded, please try again later.',
  },
};

export function refuseAsOpenai(refusal: RefusalReply, model: string): Refused {
  const shape = SHAPES[refusal.reason];
  const message = refusal.message ?? shape.message(model);
  return {
    status: refusal.status ?? shape.status,
    headers: { 'x-request-id': freshId('req_') },
    message,
    body: {
      error: {
        message,
        type: shape.type,
        param: refusal.param ?? shape.param ?? null,
        code: refusal.code ?? shape.code,
      },
    },
  };
}
