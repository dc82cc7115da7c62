import path from 'node:path';
import {
  type AgentApp,
  type AgentContext,
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import type { PermissionMode, Session } from '@stoa/protocol';
import { defaultAgentId } from '../commands/default-agent.js';
import type { Context } from '../context.js';
import { printableLine } from '../terminal/printable.js';
import { Editor } from './editor.js';
import { EditorSession } from './editor-session.js';
import { requestError } from './turn-end.js';

export interface AcpChoices {
  readonly agent?: string | undefined;
  /** Every session the editor asks for is this one. */
  readonly session?: string | undefined;
  readonly mode?: PermissionMode | undefined;
}

/** Sessions of the daemon, served to one editor. */
export class AcpAgent {
  private readonly open = new Map<string, EditorSession>();

  constructor(
    private readonly context: Context,
    private readonly choices: AcpChoices,
  ) {}

  app(): AgentApp {
    const { session } = methods.agent;
    return agent({ name: 'stoa' })
      .onRequest(methods.agent.initialize, () => ({
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'stoa', title: 'Stoa', version: this.context.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: false, embeddedContext: true },
          mcpCapabilities: { http: false, sse: false },
        },
        authMethods: [],
      }))
      .onRequest(session.new, ({ params, client }) =>
        this.reportingErrors(async () => {
          const made = await this.sessionIn(params.cwd);
          this.mention(made, params);
          return { sessionId: made.sessionId, modes: this.opened(made, client).modes };
        }),
      )
      .onRequest(session.load, ({ params, client }) =>
        this.reportingErrors(async () => {
          const known = await this.context.client.sessions.get(params.sessionId);
          this.mention(known, params);
          const opened = this.opened(known, client);
          await opened.replay();
          return { modes: opened.modes };
        }),
      )
      .onRequest(session.prompt, ({ params, signal }) =>
        this.reportingErrors(() => this.get(params.sessionId).prompt(params.prompt, signal)),
      )
      .onRequest(session.setMode, ({ params }) =>
        this.reportingErrors(async () => {
          await this.get(params.sessionId).setMode(params.modeId);
          return {};
        }),
      )
      .onNotification(session.cancel, async ({ params }) => {
        await this.open.get(params.sessionId)?.cancel();
      });
  }

  /** Ends what was asked for and is not done; nobody is there to see it. */
  async close(): Promise<void> {
    await Promise.all([...this.open.values()].map((session) => session.cancel()));
  }

  private async sessionIn(cwd: string): Promise<Session> {
    const { agent: agentId, session, mode } = this.choices;
    const { sessions } = this.context.client;
    if (session !== undefined) return sessions.get(session);
    return sessions.create({
      agentId: agentId ?? (await defaultAgentId(this.context)),
      workspace: path.resolve(cwd),
      ...(mode === undefined ? {} : { mode }),
    });
  }

  private opened(session: Session, client: AgentContext): EditorSession {
    const { sessionId } = session;
    const opened =
      this.open.get(sessionId) ??
      new EditorSession(this.context, new Editor(client, sessionId), session);
    this.open.set(sessionId, opened);
    return opened;
  }

  private get(sessionId: string): EditorSession {
    const session = this.open.get(sessionId);
    if (!session) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  /** What the editor asked for and does not get. */
  private mention(
    { sessionId, workspace }: Session,
    { cwd, mcpServers }: { readonly cwd: string; readonly mcpServers: readonly unknown[] },
  ): void {
    if (path.resolve(cwd) !== workspace) {
      this.context.say(
        printableLine(
          `session ${sessionId} works in ${workspace}, not in the directory that the editor opened`,
        ),
      );
    }
    if (mcpServers.length > 0) {
      this.context.say('MCP servers of the editor are ignored; define them in the agent');
    }
  }

  private async reportingErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const problem = requestError(error, this.context.surroundings);
      this.context.say(printableLine(problem.message));
      throw problem;
    }
  }
}
