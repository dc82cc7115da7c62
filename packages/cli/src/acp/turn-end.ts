import { type PromptResponse, RequestError, type StopReason } from '@agentclientprotocol/sdk';
import { StoaProblem } from '@stoa/client';
import type { Run } from '@stoa/protocol';
import { explain, type Surroundings } from '../failure.js';
import type { Outcome } from '../headless/outcome.js';

/** Codes of the error object, as JSON-RPC and the protocol number them. */
const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;
const AUTH_REQUIRED = -32_000;
const NOT_FOUND = -32_002;

/** Failures for which the protocol has a word of its own. */
const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  model_refused: 'refusal',
  acp_refused: 'refusal',
  acp_max_tokens: 'max_tokens',
  too_many_steps: 'max_turn_requests',
  acp_max_turns: 'max_turn_requests',
};

/** How a turn ended, for the editor. Throws a RequestError where it failed. */
export function promptResponse(outcome: Outcome, run: Run | undefined): PromptResponse {
  const meta = run === undefined ? {} : { _meta: { stoa: { runId: run.runId, usage: run.usage } } };
  switch (outcome.type) {
    case 'completed':
      return { stopReason: 'end_turn', ...meta };
    case 'cancelled':
      return { stopReason: 'cancelled', ...meta };
    case 'failed': {
      const { code, message, phase } = outcome.failure;
      const stopReason = STOP_REASONS[code];
      if (stopReason !== undefined) return { stopReason, ...meta };
      throw new RequestError(INTERNAL, `${message} (${code})`, { code, phase });
    }
    case 'interrupted':
      throw new RequestError(INTERNAL, `The run was interrupted: ${outcome.reason}`, {
        code: 'interrupted',
      });
    case 'needs_approval':
    case 'left':
      throw new RequestError(INTERNAL, 'The run is no longer watched', { code: 'left' });
  }
}

/** What the daemon refused, in the words that every command uses. */
export function requestError(error: unknown, where: Surroundings | undefined): RequestError {
  if (error instanceof RequestError) return error;
  const { what, code, issues, hint } = explain(error, where);
  const details = [...issues.map(({ path, message }) => `${path}: ${message}`), hint ?? ''];
  const message = [`${what} (${code})`, ...details.filter((line) => line !== '')].join('\n');
  return new RequestError(numberOf(error), message, {
    code,
    ...(issues.length > 0 ? { issues } : {}),
  });
}

function numberOf(error: unknown): number {
  if (!(error instanceof StoaProblem)) return INTERNAL;
  if (error.status === 401) return AUTH_REQUIRED;
  if (error.status === 404) return NOT_FOUND;
  return error.status >= 400 && error.status < 500 ? INVALID_PARAMS : INTERNAL;
}
