import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { resolve } = createRequire(import.meta.url);
const library = (name: string): string => JSON.stringify(pathToFileURL(resolve(name)).href);

/** A server as people write them, with tools for what can go wrong. */
const SCRIPT = `
import { spawn } from 'node:child_process';
import server from ${library('@modelcontextprotocol/server')};
import stdio from ${library('@modelcontextprotocol/server/stdio')};
import zod from ${library('zod')};
const { z } = zod;
if (process.argv[2] === 'broken') {
  console.error('no configuration was found');
  process.exit(2);
}
if (process.argv[2] === 'mute') setInterval(() => {}, 1000);
else if (process.argv[2] === 'deaf') {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
  serve();
} else serve();
function serve() {
  console.log('this line is no message');
  stdio.serveStdio(() => {
    const made = new server.McpServer({ name: 'test', version: '1' });
    const text = (text) => ({ content: [{ type: 'text', text }] });
    const add = (name, inputSchema, handle) => made.registerTool(name, { description: name + ' it', inputSchema }, handle);
    add('add', z.strictObject({ a: z.number(), b: z.number() }), ({ a, b }) => text(String(a + b)));
    add('environment', z.strictObject({}), () => text(JSON.stringify({ cwd: process.cwd(), pid: process.pid, env: process.env })));
    add('crash', z.strictObject({}), () => { console.error('out of luck'); process.exit(3); });
    add('hang', z.strictObject({}), () => new Promise(() => {}));
    add('fail', z.strictObject({}), () => ({ ...text('that did not work'), isError: true }));
    add('flood', z.strictObject({}), () => text('x'.repeat(200000)));
    add('dotted.name', z.strictObject({}), () => text('dotted'));
    add('start', z.strictObject({}), () => {
      const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
      return text(String(child.pid));
    });
    return made;
  });
}
`;

/** A directory with the script, and the configuration of a server that runs it. */
export class McpScript {
  readonly directory = mkdtempSync(join(tmpdir(), 'stoa-mcp-server-'));
  readonly #file = join(this.directory, 'server.mjs');

  constructor() {
    writeFileSync(this.#file, SCRIPT);
  }

  config(behaviour?: 'broken' | 'mute' | 'deaf', env?: Record<string, string>) {
    const args = [this.#file, ...(behaviour === undefined ? [] : [behaviour])];
    return { command: process.execPath, args, ...(env ? { env } : {}) };
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
