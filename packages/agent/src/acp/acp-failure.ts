import { RequestError } from '@agentclientprotocol/sdk';

export type AcpFailureCode =
  /** The program is not installed, or cannot be started. */
  | 'acp_not_found'
  /** The program requires a login or a key. */
  | 'acp_auth_required'
  /** The program does not have the model that its definition names. */
  | 'acp_no_model'
  /** The program offers no mode in which it asks before it acts. */
  | 'acp_mode_unavailable'
  | 'acp_exited'
  | 'acp_protocol_error'
  | 'acp_timeout'
  | 'acp_flood'
  /** The program repeated earlier messages in the middle of a turn. */
  | 'acp_replay'
  /** The program called a denied tool without asking. */
  | 'acp_not_asked'
  /** A call was denied, and the program stopped without an answer. */
  | 'acp_denied'
  /** The program answered with an error. */
  | 'acp_agent_error'
  | 'acp_refused'
  | 'acp_max_tokens'
  | 'acp_max_turns'
  /** The program cancelled its own turn. */
  | 'acp_stopped';

/** Why an agent program failed; the run fails with the same code. */
export class AcpFailure extends Error {
  override readonly name = 'AcpFailure';

  constructor(
    readonly code: AcpFailureCode,
    message: string,
  ) {
    super(message);
  }
}

const AUTH_REQUIRED = -32000;
const MESSAGE_CHARS = 1_000;
/** Leaves room for the hint on the same line. */
const MESSAGE_CHARS_BEFORE_HINT = 200;
const LOGIN_HINT =
  'Log in with the program itself, or give it a key in driver.env: stoa agent put AGENT FILE';

interface AnsweringProgram {
  readonly program: { readonly name: string };
  readonly scrub: (text: string) => string;
}

/** Turns an error answer of a program into an AcpFailure; other errors are returned unchanged. */
export function asAcpFailure({ program, scrub }: AnsweringProgram, error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const text = scrub(errorText(error));
  if (error.code !== AUTH_REQUIRED) {
    const message = `${program.name}: ${text.slice(0, MESSAGE_CHARS).toWellFormed()}`;
    return new AcpFailure('acp_agent_error', message);
  }
  const start = text.slice(0, MESSAGE_CHARS_BEFORE_HINT).toWellFormed();
  const message = `${program.name}: ${start.replace(/(?<!\.)\.+$/, '')}. ${LOGIN_HINT}`;
  return new AcpFailure('acp_auth_required', message);
}

/** The message of an error answer, with its details. */
export function errorText({ message, data }: RequestError): string {
  const details = (data as { readonly details?: unknown } | null | undefined)?.details;
  return typeof details === 'string' ? `${message}: ${details}` : message;
}
