import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { until } from '../time/until.js';
import { anthropicMessages } from './anthropic-messages.js';
import { checkAnthropic } from './anthropic-rules.js';
import { estimateTokens } from './conversation.js';
import { Delivery } from './delivery.js';
import { contextExceeded, status } from './faults.js';
import { geminiContent } from './gemini-content.js';
import { issue } from './issue.js';
import { type JsonObject, parseObject } from './json.js';
import { openaiChat } from './openai-chat.js';
import { openaiResponses } from './openai-responses.js';
import type { RefusalReply, Reply } from './reply.js';
import { keyOf, ModelRequest } from './request.js';
import { type ModelScript, ScriptPlayer } from './script.js';
import { refuseRule, type Wire } from './wire.js';

export interface FakeModelOptions {
  /** The only key that is taken. Without it any is, and none is needed. */
  readonly key?: string;
  /** The only models there are. Without it every name is one. */
  readonly models?: readonly string[];
  /** Longer prompts are refused as the provider refuses them. */
  readonly contextTokens?: number;
}

/** What was asked besides completions: models, token counts, paths that do not exist. */
export interface Lookup {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

const WIRES: Readonly<Record<string, Wire>> = {
  '/v1/chat/completions': openaiChat,
  '/v1/responses': openaiResponses,
  '/v1/messages': anthropicMessages,
};

const GEMINI = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

const wireOf = (path: string): Wire | undefined =>
  WIRES[path] ?? (GEMINI.test(path) ? geminiContent : undefined);

/** Gemini says in the path what others say in the body. */
function fieldsOfPath(path: string): JsonObject {
  const [, model, method] = GEMINI.exec(path) ?? [];
  return model === undefined ? {} : { model, stream: method === 'streamGenerateContent' };
}

/** A model server with the wire formats of the providers, which answers from the script of a test. */
export class FakeModel {
  /** Requests for completions in the order of their arrival, refused ones too. */
  readonly requests: ModelRequest[] = [];
  readonly lookups: Lookup[] = [];
  #player = new ScriptPlayer([]);
  readonly #complaints: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly options: FakeModelOptions,
  ) {
    server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
      this.#serve(incoming, response).catch((error: unknown) => {
        this.#complaints.push(String(error));
        response.destroy();
      });
    });
  }

  static async start(options: FakeModelOptions = {}): Promise<FakeModel> {
    const server = createServer();
    const model = new FakeModel(server, options);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return model;
  }

  /** Without a path, as agents want it in `ANTHROPIC_BASE_URL`. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get openaiUrl(): string {
    return `${this.url}/v1`;
  }

  get anthropicUrl(): string {
    return `${this.url}/v1`;
  }

  /** From now on this script is played; what is left of the one before is forgotten. */
  script(script: ModelScript): void {
    this.#player = new ScriptPlayer(script);
  }

  /** Played after what is left of the script. */
  thenScript(script: ModelScript): void {
    this.#player.add(script);
  }

  /** The request with this index, when it has come. */
  async received(index: number): Promise<ModelRequest> {
    return until(`the model has been asked ${index + 1} times`, () => this.requests[index]);
  }

  /** Throws unless the whole script was played and every request had an answer in it. */
  assertPlayed(): void {
    const { waiting } = this.#player;
    const complaints = [
      ...this.#complaints,
      ...(waiting === 0 ? [] : [`${waiting} steps of the script were never asked for`]),
    ];
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = incoming;
    const path = new URL(incoming.url ?? '/', this.url).pathname;
    const text = await readText(incoming);
    const wire = method === 'POST' ? wireOf(path) : undefined;
    if (wire) {
      await this.#complete(wire, { path, headers, text }, response);
      return;
    }
    this.lookups.push({ method, path, headers });
    const { status: code, body } = this.#answerLookup(`${method} ${path}`, headers, text);
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  async #complete(
    wire: Wire,
    arrived: { path: string; headers: IncomingHttpHeaders; text: string },
    response: ServerResponse,
  ): Promise<void> {
    const parsed = parseObject(arrived.text);
    const body = parsed && { ...parsed, ...fieldsOfPath(arrived.path) };
    const request = new ModelRequest(this.requests.length, {
      ...arrived,
      wire: wire.name,
      body: body ?? {},
      conversation: wire.read(body ?? {}),
    });
    this.requests.push(request);
    const delivery = new Delivery(request, response);
    const refuse = (refusal: RefusalReply): Promise<void> =>
      delivery.refuse(wire.refuse(refusal, request.model), refusal);

    const refusal = this.#refusalOf(wire, request, body);
    if (refusal) {
      await refuse(refusal);
      return;
    }
    const reply: Reply | undefined = await this.#player.answer(request);
    if (reply === undefined) {
      const what = `The script has no answer for request ${request.index} to ${request.path}, after "${request.lastUserText}".`;
      this.#complaints.push(what);
      await refuse(refuseRule(what));
    } else if (reply.kind === 'refusal') {
      await refuse(reply);
    } else {
      await delivery.send(reply, issue(reply, request, wire), wire);
    }
  }

  /** In the order of the providers' checks: key, content, model, length. */
  #refusalOf(
    wire: Wire,
    request: ModelRequest,
    body: JsonObject | undefined,
  ): RefusalReply | undefined {
    const { key, models, contextTokens = Infinity } = this.options;
    if (key !== undefined && request.key !== key) return status(401);
    const broken = body ? wire.check(body, request.headers) : status(400);
    if (broken) {
      this.#complaints.push(
        `request ${request.index} breaks a rule of ${wire.name}: ${broken.message ?? 'no JSON'}`,
      );
      return broken;
    }
    if (models && !models.includes(request.model)) return status(404);
    return estimateTokens(request.text) > contextTokens ? contextExceeded() : undefined;
  }

  #answerLookup(
    what: string,
    headers: IncomingHttpHeaders,
    text: string,
  ): { readonly status: number; readonly body: JsonObject } {
    const isAnthropic = headers['anthropic-version'] !== undefined;
    const wire = isAnthropic ? anthropicMessages : openaiChat;
    if (this.options.key !== undefined && keyOf(headers) !== this.options.key) {
      return wire.refuse(status(401), '');
    }
    if (what === 'GET /v1/models') {
      return { status: 200, body: listModels(this.options.models ?? ['fake-model'], isAnthropic) };
    }
    if (what === 'POST /v1/messages/count_tokens') {
      const body = parseObject(text);
      const broken = body ? checkAnthropic(body, headers) : status(400);
      if (broken) return anthropicMessages.refuse(broken, '');
      return { status: 200, body: { input_tokens: estimateTokens(text) } };
    }
    return wire.refuse(
      { ...status(404), message: `Invalid URL (${what})`, code: 'unknown_url' },
      '',
    );
  }
}

/** GET /v1/models, which both providers have on the same path. */
function listModels(ids: readonly string[], isAnthropic: boolean): JsonObject {
  if (!isAnthropic) {
    const data = ids.map((id) => ({
      id,
      object: 'model',
      created: 1_700_000_000,
      owned_by: 'fake',
    }));
    return { object: 'list', data };
  }
  return {
    data: ids.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '2025-01-01T00:00:00Z',
    })),
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  };
}
