import {
  type AgentDefinition,
  type DispatchRule,
  type InboxItem,
  type Run,
  type SessionEvent,
  type Stamped,
  TERMINAL_RUN_STATUSES,
  textWithAssets,
} from '@stoa/protocol';
import { until } from '../time/until.js';
import { OWNER, type RuntimeDaemon } from './runtime-world.js';

type Typed<T extends SessionEvent['type']> = Extract<Stamped<SessionEvent>, { type: T }>;

const ENDED: readonly Run['status'][] = TERMINAL_RUN_STATUSES;

/** A session of the owner. */
export class AgentSession {
  private constructor(
    readonly daemon: RuntimeDaemon,
    readonly sessionId: string,
  ) {}

  static async open(daemon: RuntimeDaemon, agentId: string): Promise<AgentSession> {
    const { sessionId } = await daemon.core.sessions.create(OWNER, { agentId });
    return new AgentSession(daemon, sessionId);
  }

  static of(daemon: RuntimeDaemon, sessionId: string): AgentSession {
    return new AgentSession(daemon, sessionId);
  }

  /** The same session on another daemon, or on this one after a restart. */
  on(daemon: RuntimeDaemon): AgentSession {
    return new AgentSession(daemon, this.sessionId);
  }

  submit(text: string, rule: DispatchRule = 'followup'): Promise<InboxItem> {
    return this.daemon.core.inbox.submit(OWNER, this.sessionId, { text, rule });
  }

  /** Asks, and waits until the run has ended. */
  async ask(text: string): Promise<Run> {
    const { runId } = await this.submit(text);
    return this.ended(runId);
  }

  ended(runId: string): Promise<Run> {
    return until(`${runId} has ended`, async () => {
      const run = await this.daemon.core.runs.get(OWNER, runId);
      return ENDED.includes(run.status) ? run : undefined;
    });
  }

  async events(): Promise<Stamped<SessionEvent>[]> {
    const slice = await this.daemon.core.readTopic(OWNER, `session:${this.sessionId}`, 0, 10_000);
    return slice.entries.map(
      ({ body, ...entry }) =>
        ({ ...entry, data: JSON.parse(body) as unknown }) as Stamped<SessionEvent>,
    );
  }

  async all<T extends SessionEvent['type']>(type: T): Promise<Typed<T>[]> {
    return (await this.events()).filter((event): event is Typed<T> => event.type === type);
  }

  async types(): Promise<string[]> {
    return (await this.events()).map(({ type }) => type);
  }

  /** The whole log of the session, byte for byte. */
  async bytes(): Promise<string> {
    const slice = await this.daemon.core.readTopic(OWNER, `session:${this.sessionId}`, 0, 10_000);
    return slice.entries.map((entry) => JSON.stringify(entry)).join('\n');
  }
}

/** The output of a run as text. */
export const outputOf = ({ output = [] }: Run): string =>
  textWithAssets(output, (assetId) => assetId);

export const definitionOf = (
  driver: AgentDefinition['driver'],
  instructions = '',
): AgentDefinition => ({
  driver,
  mode: 'ask',
  instructions,
});
