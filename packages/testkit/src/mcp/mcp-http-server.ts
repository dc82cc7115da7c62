import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { z } from 'zod';

/** An MCP server over HTTP that can be taken away and brought back at the same address. */
export class McpHttpServer {
  readonly headers: IncomingMessage['headers'][] = [];
  #server: Server | undefined;
  #port = 0;

  constructor(private readonly legacy: 'stateless' | 'reject' = 'stateless') {}

  get url(): string {
    return `http://127.0.0.1:${String(this.#port)}/mcp`;
  }

  async start(): Promise<void> {
    const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
    const handler = createMcpHandler(
      () => {
        const made = new McpServer({ name: 'over http', version: '1' });
        made.registerTool(
          'greet',
          { description: 'Greets', inputSchema: z.strictObject({ name: z.string() }) },
          ({ name }) => ({ content: [{ type: 'text', text: `Hello ${name}` }] }),
        );
        return made;
      },
      { legacy: this.legacy },
    );
    const server = createServer((request, response) => {
      this.headers.push(request.headers);
      void serve(request, response, handler.fetch);
    });
    this.#server = server;
    await new Promise<void>((done) => {
      server.listen(this.#port, '127.0.0.1', done);
    });
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((done) => this.#server?.close(done) ?? done(undefined));
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  fetch: (request: Request) => Promise<Response>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const body = Buffer.concat(chunks);
  const method = request.method ?? 'GET';
  const answer = await fetch(
    new Request(`http://127.0.0.1${request.url ?? ''}`, {
      method,
      headers,
      ...(method === 'POST' ? { body } : {}),
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!answer.body) return void response.end();
  const stream = Readable.fromWeb(answer.body);
  stream.on('error', () => response.destroy());
  response.on('close', () => stream.destroy());
  stream.pipe(response);
}
