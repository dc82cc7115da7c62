import type { Tx } from '@stoa/store';
import type { OpenSession } from '../sessions/session-gate.js';
import type { OutputPart, OutputRange } from '../tasks/kind.js';

/** Part of what was written down of a task; undefined where nothing was. */
export type ReadTranscript = (path: string, range: OutputRange) => Promise<OutputPart | undefined>;

/** What is asked of who runs sessions, and writes down what they do. */
export interface SessionRuns {
  readonly readTranscript?: ReadTranscript;
  wake(sessionId: string): void;
  idle(sessionId: string): Promise<void>;
  isAnothers(session: OpenSession): Tx<boolean>;
}
