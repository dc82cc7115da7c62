import { AcpFailure, type AcpFailureCode } from './acp-failure.js';

const FAILURES: Readonly<Record<string, readonly [AcpFailureCode, string]>> = {
  refusal: ['acp_refused', 'refused to go on'],
  max_tokens: ['acp_max_tokens', 'reached the most tokens its model gives'],
  max_turn_requests: ['acp_max_turns', 'asked its model as often as it may in one turn'],
};

/** What a prompt that ended in this way failed of; undefined when it did not. */
export function failureOf(
  stopReason: string,
  program: string,
  wasDenied: boolean,
): AcpFailure | undefined {
  if (stopReason === 'end_turn') return undefined;
  if (stopReason === 'cancelled') {
    // Some stop where a call was denied; that was their answer.
    if (wasDenied) return undefined;
    return new AcpFailure('acp_stopped', `${program} stopped by itself`);
  }
  const known = FAILURES[stopReason];
  if (known) return new AcpFailure(known[0], `${program} ${known[1]}`);
  const words = `${program} ended its turn with ${stopReason}, which the protocol does not know`;
  return new AcpFailure('acp_protocol_error', words);
}
