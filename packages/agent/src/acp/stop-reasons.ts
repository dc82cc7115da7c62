import { AcpFailure, type AcpFailureCode } from './acp-failure.js';
import { failureIn } from './said-failure.js';

const TOLD_CHARS = 1_000;

const FAILURES: Readonly<Record<string, readonly [AcpFailureCode, string]>> = {
  refusal: ['acp_refused', 'refused to go on'],
  max_tokens: ['acp_max_tokens', 'reached the most tokens its model gives'],
  max_turn_requests: ['acp_max_turns', 'asked its model as often as it may in one turn'],
};

/** How a prompt ended. */
export interface PromptEnd {
  readonly stopReason: string;
  readonly program: string;
  /** What was said after the last call. */
  readonly said: string;
  /** The calls that were denied, in words. */
  readonly denials: readonly string[];
  /** The model failure that the program reported; undefined when it reported none. */
  readonly trouble: string | undefined;
  /** Whether it gave an answer with a tool, or passed. */
  readonly hasEmitted: boolean;
}

/** What a prompt that ended in this way failed of; undefined when it did not. */
export function failureOf(end: PromptEnd): AcpFailure | undefined {
  const { stopReason, program, said, denials, hasEmitted } = end;
  const trouble = end.trouble ?? failureIn(said);
  if (trouble !== undefined && !hasEmitted) {
    const words = (trouble === '' ? said : trouble).trim().slice(0, TOLD_CHARS).toWellFormed();
    return new AcpFailure('acp_agent_error', `${program}: ${words || 'its model failed'}`);
  }
  const isOver = stopReason === 'end_turn' || stopReason === 'cancelled';
  if (isOver && denials.length > 0 && said.trim() === '' && !hasEmitted) {
    const words = `${program} was denied and stopped: ${denials.join('; ')}`;
    return new AcpFailure('acp_denied', words.slice(0, TOLD_CHARS).toWellFormed());
  }
  if (stopReason === 'end_turn') return undefined;
  if (stopReason === 'cancelled') {
    // Some stop where a call was denied; what they had said by then is their answer.
    if (denials.length > 0) return undefined;
    return new AcpFailure('acp_stopped', `${program} stopped by itself`);
  }
  const known = FAILURES[stopReason];
  if (known) return new AcpFailure(known[0], `${program} ${known[1]}`);
  const words = `${program} ended its turn with ${stopReason}, which the protocol does not know`;
  return new AcpFailure('acp_protocol_error', words);
}
