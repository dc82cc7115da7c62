import { AcpFailure, type AcpFailureCode } from './acp-failure.js';

const MESSAGE_CHARS = 1_000;

const STOP_REASONS: Readonly<Record<string, readonly [AcpFailureCode, string]>> = {
  refusal: ['acp_refused', 'refused to continue'],
  max_tokens: ['acp_max_tokens', 'reached the token limit of its model'],
  max_turn_requests: ['acp_max_turns', 'reached its limit of model requests in one turn'],
};

/** How a prompt ended. */
export interface PromptEnd {
  readonly stopReason: string;
  readonly program: string;
  /** The text after the last call. */
  readonly answer: string;
  /** The denied calls, with the reasons. */
  readonly denials: readonly string[];
  /** The model failure that the program reported; empty if it gave no message. */
  readonly modelFailure: string | undefined;
  /** Whether the agent answered with a tool, or passed. */
  readonly hasEmitted: boolean;
}

/** Why a prompt failed; undefined if it succeeded. */
export function promptFailure(end: PromptEnd): AcpFailure | undefined {
  const { stopReason, program, answer, denials, hasEmitted } = end;
  const modelFailure = end.modelFailure ?? failureInAnswer(answer);
  if (modelFailure !== undefined && !hasEmitted) {
    const text = (modelFailure === '' ? answer : modelFailure).trim();
    const message = text.slice(0, MESSAGE_CHARS).toWellFormed() || 'its model failed';
    return new AcpFailure('acp_agent_error', `${program}: ${message}`);
  }
  const isOver = stopReason === 'end_turn' || stopReason === 'cancelled';
  if (isOver && denials.length > 0 && answer.trim() === '' && !hasEmitted) {
    const message = `${program} was denied and stopped: ${denials.join('; ')}`;
    return new AcpFailure('acp_denied', message.slice(0, MESSAGE_CHARS).toWellFormed());
  }
  if (stopReason === 'end_turn') return undefined;
  if (stopReason === 'cancelled') {
    // Some programs stop after a denied call; their text so far is the answer.
    if (denials.length > 0) return undefined;
    return new AcpFailure('acp_stopped', `${program} cancelled its own turn`);
  }
  const known = STOP_REASONS[stopReason];
  if (known) return new AcpFailure(known[0], `${program} ${known[1]}`);
  const message = `${program} ended its turn with the unknown stop reason ${stopReason}`;
  return new AcpFailure('acp_protocol_error', message);
}

/** A line that a program writes about itself, not its model. */
const NOTICE = /^(?:api )?(?:error|info|warning):/i;
const ERROR = /^(?:api )?error:/i;
/** Messages of providers and programs when a model does not answer. */
const MODEL_ERROR = new RegExp(
  [
    '\\b[45]\\d\\d\\b',
    'unauthori[sz]ed|forbidden|api[ _-]?key|authenticat',
    'rate.?limit|too many requests|quota|overloaded|capacity',
    'internal server error|service unavailable|bad gateway',
    'connection|network|timed? ?out|request failed|fetch failed',
    'model\\b.*\\b(?:not|unknown|unsupported)',
  ].join('|'),
  'i',
);
const API_ERROR = /^api error:? \d{3}\b/i;
const MAX_NOTICE_LINES = 20;

/**
 * The model failure that a program reports as the text of its answer; undefined if the text is an answer. Every
 * line must be a notice and one of them a model error, because an agent may quote an error in its answer.
 */
function failureInAnswer(text: string): string | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [first = ''] = lines;
  if (API_ERROR.test(first)) return lines.join(' ');
  if (lines.length > MAX_NOTICE_LINES || !lines.every((line) => NOTICE.test(line)))
    return undefined;
  const isFailure = lines.some((line) => ERROR.test(line) && MODEL_ERROR.test(line));
  return isFailure ? lines.join(' ') : undefined;
}

const EMPTY_ANSWER =
  /empty (?:response|answer|stream|message|text)|(?:response|answer) (?:is|was) empty|no (?:response text|content) /i;

/** Whether the message of an error only reports that the model wrote nothing. */
export const isEmptyAnswerError = (message: string): boolean => EMPTY_ANSWER.test(`${message} `);
