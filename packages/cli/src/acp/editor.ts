import {
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionResponse,
  type SessionUpdate,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';

/** What a session says to the editor, and asks it. */
export class Editor {
  constructor(
    private readonly client: AgentContext,
    private readonly sessionId: string,
  ) {}

  /** Sends nothing to an editor that is gone; other code notices that. */
  async show(update: SessionUpdate): Promise<void> {
    const { sessionId } = this;
    await this.client
      .notify(methods.client.session.update, { sessionId, update })
      .catch(() => undefined);
  }

  /** Rejects when it is taken back, or the editor cannot ask. */
  async ask(
    toolCall: ToolCallUpdate,
    options: PermissionOption[],
    takenBack: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    return this.client.request(
      methods.client.session.requestPermission,
      { sessionId: this.sessionId, toolCall, options },
      { cancellationSignal: takenBack, stopWaitingOnCancel: true },
    );
  }
}
