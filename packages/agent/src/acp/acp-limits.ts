export const ACP_LIMITS = {
  /** How long a program may take to start. */
  startMs: 60_000,
  /** How long a program may take to open a session. */
  sessionMs: 60_000,
  /** How long a cancelled prompt may take to end before its session is given up. */
  settleMs: 3_000,
  pingMs: 3_000,
  /** How long a program may take to ask for permission after it reports a running call. */
  askMs: 1_000,
  /** How long a prompt may report nothing. */
  silenceMs: 10 * 60_000,
  /** How long an unused program keeps running. */
  idleMs: 10 * 60_000,
  /** How long to wait before a restart, by the number of consecutive crashes. */
  backoffMs: [1_000, 5_000, 15_000, 60_000] as readonly number[],
  /** How much a program may send. */
  stream: {
    lineBytes: 16 * 1024 * 1024,
    windowMs: 5_000,
    bytesPerWindow: 64 * 1024 * 1024,
    messagesPerWindow: 20_000,
    /** Consecutive lines that are no messages; some programs print greetings or warnings to stdout. */
    invalidLines: 20,
  },
};

export type AcpLimits = Readonly<typeof ACP_LIMITS>;
export type StreamLimits = Readonly<AcpLimits['stream']>;
