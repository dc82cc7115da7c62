export type AcpFailureCode =
  /** The program is not there. */
  | 'acp_not_found'
  /** It wants somebody to log in first, or a key. */
  | 'acp_auth_required'
  /** It does not have the model that its definition names. */
  | 'acp_no_model'
  /** It cannot be made to ask before it acts. */
  | 'acp_mode_unavailable'
  | 'acp_exited'
  | 'acp_protocol_error'
  | 'acp_timeout'
  | 'acp_flood'
  /** It repeated what was said before in the middle of a turn. */
  | 'acp_replay'
  /** It called a tool without asking that it must not call. */
  | 'acp_not_asked'
  /** A call was denied, and it stopped without a word. */
  | 'acp_denied'
  /** It answered with an error. */
  | 'acp_agent_error'
  | 'acp_refused'
  | 'acp_max_tokens'
  | 'acp_max_turns'
  /** It stopped by itself before it was done. */
  | 'acp_stopped';

/** Why an agent program could not do what it was asked; its code becomes that of the run. */
export class AcpFailure extends Error {
  override readonly name = 'AcpFailure';

  constructor(
    readonly code: AcpFailureCode,
    message: string,
  ) {
    super(message);
  }
}
