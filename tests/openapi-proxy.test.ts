import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Approval, Channel, InboxItem, Message, Run, Session } from '@stoa/protocol';
import { installNpmProgram, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PRISM = {
  package: '@stoplight/prism-cli',
  version: '5.14.2',
  file: 'dist/index.js',
  directory: 'prism',
};

const GENERATOR = {
  package: 'openapi-typescript',
  version: '7.13.0',
  file: 'bin/cli.js',
  directory: 'openapi-typescript',
};

const SCRIPT = `turns: [{ repeat: forever, steps: [{ call: { tool: shell, input: { command: 'echo hi' } } }, { say: done }] }]`;

describe('types that are generated from the document', () => {
  it('DU-91 have the names of the schemas', { timeout: 240_000 }, async (test) => {
    const generator = await installNpmProgram(GENERATOR);
    if (!generator.command) return test.skip(generator.reason);
    const daemon = await startDaemon();
    const directory = mkdtempSync(join(tmpdir(), 'stoa-types-'));
    try {
      const file = join(directory, 'openapi.json');
      writeFileSync(file, await (await fetch(`${daemon.url}/v1/openapi.json`)).text());
      const [node = '', program = ''] = generator.command;
      const types = execFileSync(node, [program, file], { encoding: 'utf8', stdio: 'pipe' });
      const named = [...types.matchAll(/^ {8}(\w+): /gm)].map(([, name]) => name);
      expect(named).toEqual(
        expect.arrayContaining(['Channel', 'Message', 'Session', 'Run', 'Approval', 'Task']),
      );
      expect(types).toContain('components["schemas"]["Message"]');
    } finally {
      rmSync(directory, { recursive: true, force: true });
      await daemon.cleanUp();
    }
  });
});

/** Prism proxies the daemon and names in a header what does not fit the document. */
describe('the API behind a proxy that validates it against the document', () => {
  let daemon: TestDaemon | undefined;
  let directory = '';
  let proxy: ChildProcess | undefined;
  let url = '';
  let missing: string | undefined;
  const violations: { readonly call: string; readonly violations: string }[] = [];

  beforeAll(async () => {
    const prism = await installNpmProgram(PRISM);
    if (!prism.command) {
      missing = prism.reason;
      return;
    }
    directory = mkdtempSync(join(tmpdir(), 'stoa-prism-'));
    daemon = await startDaemon();
    const document = await fetch(`${daemon.url}/v1/openapi.json`);
    const file = join(directory, 'openapi.json');
    writeFileSync(file, await document.text());
    const port = await freePort();
    const [node = '', program = ''] = prism.command;
    const args = [
      program,
      'proxy',
      file,
      daemon.url,
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
    ];
    proxy = spawn(node, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [proxy.stdout, proxy.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    url = `http://127.0.0.1:${String(port)}`;
    await until('the proxy listens', () => {
      if (proxy?.exitCode !== null) throw new Error(`The proxy ended: ${output}`);
      return Promise.resolve(output.includes('Prism is listening') || undefined);
    });
  }, 240_000);

  afterAll(async () => {
    proxy?.kill();
    await daemon?.cleanUp();
    if (directory !== '') rmSync(directory, { recursive: true, force: true });
  });

  async function send<T>(method: string, path: string, status: number, body?: unknown): Promise<T> {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${daemon?.token ?? ''}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const call = `${method} ${path}`;
    expect({ call, status: response.status, text }).toEqual({ call, status, text });
    const found = response.headers.get('sl-violations');
    if (found !== null) violations.push({ call, violations: found });
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  it('DU-92 accepts every request, and every answer fits the document', async ({ skip }) => {
    if (missing) skip(missing);
    await send('GET', '/v1/status', 200);
    await send<Channel>('POST', '/v1/channels', 201, { channelId: 'contract', title: 'Contract' });
    await send('PATCH', '/v1/channels/contract', 200, { description: 'Held to its word' });
    await send('GET', '/v1/channels', 200);
    await send('GET', '/v1/channels/contract', 200);
    const { messageId } = await send<Message>('POST', '/v1/channels/contract/messages', 201, {
      text: 'Hello',
    });
    await send('GET', `/v1/messages/${messageId}`, 200);
    await send('GET', '/v1/channels/contract/messages?limit=5', 200);
    await send('GET', '/v1/channels/contract/members', 200);
    await send('GET', '/v1/channels/nowhere', 404);
    await send('PUT', '/v1/agents/worker', 200, { driver: { kind: 'script', script: SCRIPT } });
    await send('GET', '/v1/agents', 200);
    const { sessionId } = await send<Session>('POST', '/v1/sessions', 201, {
      agentId: 'worker',
      workspace: directory,
    });
    await send('GET', '/v1/sessions', 200);
    const { runId } = await send<InboxItem>('POST', `/v1/sessions/${sessionId}/inbox`, 202, {
      text: 'go',
    });
    const { approvalId } = await until('something is asked', async () => {
      const path = '/v1/approvals?state=pending';
      return (await send<{ approvals: Approval[] }>('GET', path, 200)).approvals[0];
    });
    await send('POST', `/v1/approvals/${approvalId}/answer`, 200, { decision: 'allow' });
    await until('the run completed', async () => {
      const { status } = await send<Run>('GET', `/v1/runs/${runId}`, 200);
      return status === 'completed' || undefined;
    });
    await send('GET', `/v1/sessions/${sessionId}/runs`, 200);
    await send('GET', `/v1/sessions/${sessionId}`, 200);
    await send('GET', '/v1/usage', 200);
    expect(violations).toEqual([]);
    // What does not fit is noticed.
    await send('POST', '/v1/channels', 400, { channelId: 'contract-2', title: 5 });
    expect(violations).toMatchObject([{ call: 'POST /v1/channels' }]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
