import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { cleanEnvironment, PROGRAM, type TestDaemon, until } from '@stoa/testkit';

type UpdateOf<T extends SessionUpdate['sessionUpdate']> = Extract<
  SessionUpdate,
  { sessionUpdate: T }
>;

/** An editor of the stock library that started `stoa acp`. */
export class Editor {
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** How the person answers; until it is set nobody does. */
  answer: ((request: RequestPermissionRequest) => RequestPermissionResponse) | undefined;
  readonly ended: Promise<number | null>;
  private readonly connection: ClientConnection;
  private stderr_ = '';

  private constructor(readonly process: ChildProcess) {
    const { stdin, stdout, stderr } = process;
    if (!stdin || !stdout || !stderr) throw new Error('it was started without pipes');
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr_ += text;
    });
    stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => process.once('close', resolve));
    const input = Readable.toWeb(stdout) as ReadableStream<Uint8Array>;
    this.connection = client({ name: 'editor' })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.asked.push(params);
        const answer = await until('the person answers', () => this.answer, { timeoutMs: 60_000 });
        return answer(params);
      })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
      })
      .connect(ndJsonStream(Writable.toWeb(stdin), input));
  }

  static async open(
    { home }: Pick<TestDaemon, 'home'>,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Editor> {
    const child = spawn(process.execPath, [PROGRAM, 'acp', ...args], {
      env: { ...cleanEnvironment(), STOA_HOME: home, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const editor = new Editor(child);
    editor.initialized = await editor.agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: {},
    });
    return editor;
  }

  initialized: unknown;

  get agent() {
    return this.connection.agent;
  }

  get stderr(): string {
    return this.stderr_;
  }

  async newSession(cwd: string): Promise<string> {
    const { sessionId } = await this.agent.request(methods.agent.session.new, {
      cwd,
      mcpServers: [],
    });
    return sessionId;
  }

  prompt(sessionId: string, text: string) {
    const prompt = [{ type: 'text' as const, text }];
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt });
  }

  all<T extends SessionUpdate['sessionUpdate']>(type: T): UpdateOf<T>[] {
    return this.updates.filter((update): update is UpdateOf<T> => update.sessionUpdate === type);
  }

  /** The words of one kind so far. */
  textOf(type: 'agent_message_chunk' | 'user_message_chunk' | 'agent_thought_chunk'): string {
    return this.all(type)
      .map(({ content }) => (content.type === 'text' ? content.text : `[${content.type}]`))
      .join('');
  }

  choose(kind: 'allow_once' | 'allow_always' | 'reject_once'): void {
    this.answer = ({ options }) => {
      const option = options.find((each) => each.kind === kind);
      if (!option) throw new Error(`there is no option ${kind}`);
      return { outcome: { outcome: 'selected', optionId: option.optionId } };
    };
  }

  /** Closes the pipe, as an editor that ends does; resolves with the exit code. */
  async close(): Promise<number | null> {
    this.process.stdin?.end();
    return this.ended;
  }
}
