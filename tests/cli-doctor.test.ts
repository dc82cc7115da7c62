import fs from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { startDaemon } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Outcome, ownerOf, stoa } from './stoa-command.js';

interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'note' | 'problem';
  readonly detail: string;
  readonly fix?: string;
}

let home: string;

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-doctor-'));
});

afterEach(() => {
  fs.chmodSync(home, 0o700);
  fs.rmSync(home, { recursive: true });
});

/** Port 1 is free on any machine that has no reason to be examined. */
const doctor = (env: Record<string, string>, args: readonly string[] = []): Promise<Outcome> =>
  stoa(['doctor', ...args], { env: { STOA_HOME: home, STOA_PORT: '1', ...env } });

async function problems(env: Record<string, string> = {}): Promise<Finding[]> {
  const { code, out } = await doctor(env, ['--json']);
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] };
  const found = findings.filter(({ level }) => level === 'problem');
  expect({ code, ok }).toEqual({ code: found.length === 0 ? 0 : 1, ok: found.length === 0 });
  for (const { fix } of found) expect(fix).toMatch(/\w{4}/);
  return found;
}

/** A directory nobody may write to: for root only the kernel has one. */
function unwritable(): string {
  if (process.getuid?.() === 0) return '/proc/sys';
  fs.chmodSync(home, 0o500);
  return home;
}

/** Holds a port and speaks another protocol. */
async function otherProgram(): Promise<{ port: number; server: net.Server }> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.resume().end('220 mail.example ESMTP\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, server };
}

describe('stoa doctor', () => {
  it('SE-2 looks for the sandbox and ripgrep where only root can put them', async () => {
    const bin = path.join(home, 'bin');
    fs.mkdirSync(bin);
    for (const name of ['bwrap', 'rg']) {
      fs.writeFileSync(path.join(bin, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    }
    const { out } = await doctor({ PATH: `${bin}:/usr/bin:/bin` }, ['--json']);
    const { findings } = JSON.parse(out) as { findings: Finding[] };
    const details = Object.fromEntries(findings.map(({ check, detail }) => [check, detail]));
    expect(details['sandbox']).toMatch(/^Commands run (in bubblewrap|without a sandbox \(.+\))/);
    expect(details['sandbox']).toContain('Not protected');
    expect(details['ripgrep']).toMatch(
      /^(\/usr\/(local\/)?bin\/rg|rg is not installed in \/usr\/bin)/,
    );
    expect(out).not.toContain(bin);
  });

  it('F-34 finds nothing wrong with an empty set-up, and says that no daemon runs', async () => {
    expect(await problems()).toEqual([]);
    expect(fs.readdirSync(home)).toEqual([]);
    const { out } = await doctor({});
    expect(out).toMatch(/^note +daemon +not running; start it with: stoa serve$/m);
    expect(out).toMatch(
      /^ok +config +valid \(defaults, environment; there is no \S+stoa\.yaml\)$/m,
    );
    expect(out).toMatch(/No problem found\.\n$/);
  });

  it('F-34 names a data directory without write permission', async () => {
    const found = await problems({ STOA_HOME: unwritable() });
    expect(found).toMatchObject([
      {
        check: 'data directory',
        detail: expect.stringContaining('cannot be written to') as string,
      },
    ]);
  });

  it('F-34 names a data directory that is a file', async () => {
    const file = path.join(home, 'file');
    fs.writeFileSync(file, '');
    const found = await problems({ STOA_HOME: file });
    expect(found.map(({ check }) => check)).toContain('data directory');
  });

  it('F-34 names a port that another program holds', async () => {
    const { port, server } = await otherProgram();
    const found = await problems({ STOA_PORT: String(port) });
    await new Promise((resolve) => server.close(resolve));
    expect(found).toMatchObject([
      { check: 'port', detail: `http://127.0.0.1:${port} is used by another program` },
    ]);
  });

  it('F-34 names a port that the configuration gives and another program holds', async () => {
    const { port, server } = await otherProgram();
    fs.writeFileSync(path.join(home, 'stoa.yaml'), `port: ${port}\n`);
    const { code, out } = await stoa(['doctor'], { env: { STOA_HOME: home } });
    await new Promise((resolve) => server.close(resolve));
    expect(code).toBe(1);
    expect(out).toContain(`http://127.0.0.1:${port} is used by another program`);
  });

  it.each(['STOA_PORT', 'stoa.yaml', 'a port of another daemon'])(
    'F-34 keeps the token from a program that listens at an address where no daemon of ours runs (%s)',
    async (how) => {
      const received: string[] = [];
      const server = http.createServer((request, response) => {
        received.push(JSON.stringify(request.headers));
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      fs.writeFileSync(path.join(home, 'token'), 'secret'.repeat(8), { mode: 0o600 });
      if (how === 'stoa.yaml') fs.writeFileSync(path.join(home, 'stoa.yaml'), `port: ${port}\n`);
      if (how === 'a port of another daemon') {
        const note = { pid: process.pid, url: 'http://127.0.0.1:1' };
        fs.writeFileSync(path.join(home, 'daemon.json'), JSON.stringify(note));
      }
      const env = { STOA_HOME: home, ...(how === 'stoa.yaml' ? {} : { STOA_PORT: String(port) }) };
      await stoa(['doctor', '--deep'], { env });
      await new Promise((resolve) => server.close(resolve));
      expect(received).not.toEqual([]);
      expect(received.join()).not.toContain('secret');
    },
  );

  it('F-34 names a configuration that cannot be read, and goes on', async () => {
    fs.mkdirSync(path.join(home, 'stoa.yaml'));
    const found = await problems();
    expect(found).toMatchObject([
      { check: 'config', detail: expect.stringContaining('cannot be read') as string },
    ]);
  });

  it('F-34 names a bad configuration: file, field and allowed values', async () => {
    const file = path.join(home, 'stoa.yaml');
    fs.writeFileSync(file, 'durability: none\nlog:\n  colour: red\n');
    const found = await problems();
    expect(found.map(({ check }) => check)).toEqual(['config', 'config']);
    const details = found.map(({ detail }) => detail).join('\n');
    expect(details).toContain(`${file}: durability: must be one of full, relaxed`);
    expect(details).toContain(`${file}: log: unknown field colour`);
  });

  it('F-34 names a port that is none', async () => {
    const found = await problems({ STOA_PORT: 'seven' });
    expect(found.map(({ check }) => check)).toEqual(['config', 'daemon']);
  });

  it('F-34 names a token that others can read', async () => {
    fs.writeFileSync(path.join(home, 'token'), 'secret'.repeat(8));
    fs.chmodSync(path.join(home, 'token'), 0o644);
    expect(await problems()).toMatchObject([
      { check: 'token', fix: `chmod 600 ${path.join(home, 'token')}` },
    ]);
  });

  it('F-34 names every problem at once', async () => {
    fs.writeFileSync(path.join(home, 'stoa.yaml'), 'durability: none\n');
    fs.writeFileSync(path.join(home, 'token'), '', { mode: 0o600 });
    const { code, out } = await doctor({});
    expect(code).toBe(1);
    expect(out.match(/^PROBLEM +\w+/gm)).toEqual(['PROBLEM  token', 'PROBLEM  config']);
    expect(out.match(/→ \w+/g)).toHaveLength(2);
    expect(out).toMatch(/2 problems found\.\n$/);
  });

  it('F-34 knows its own daemon, another one on its port, and one that died', async () => {
    const daemon = await startDaemon();
    try {
      const own = await ownerOf(daemon)(['doctor', '--deep']);
      expect(own.code).toBe(0);
      expect(own.out).toContain(`${daemon.url} is used by this daemon`);
      expect(own.out).toContain(`held by the daemon with pid ${daemon.pid}`);
      expect(own.out).toContain('every projection matches its log');
      expect(await problems({ STOA_PORT: String(daemon.port), STOA_TOKEN: 'other' })).toMatchObject(
        [
          {
            check: 'port',
            detail: expect.stringContaining('does not accept this token') as string,
          },
        ],
      );
      await daemon.kill();
      const dead = await ownerOf(daemon)(['doctor']);
      expect(dead.code).toBe(0);
      expect(dead.out).toContain(`a daemon that died (pid ${daemon.pid})`);
    } finally {
      await daemon.cleanUp();
    }
  });

  it('F-34 names a damaged database, and so does a daemon that is started on it', async () => {
    const file = path.join(home, 'stoa.db');
    fs.writeFileSync(file, 'this is no database in spite of its name\n'.repeat(50));
    expect(await problems()).toMatchObject([
      { check: 'database', detail: `${file} is damaged or not a database` },
    ]);
    const { code, err } = await stoa(['serve'], { env: { STOA_HOME: home, STOA_PORT: '0' } });
    expect(code).toBe(1);
    expect(err).toContain(`stoa: ${file} is damaged, or no database (SQLITE_NOTADB). Keep it`);
  });

  it('F-34 fails a deep check that cannot be made', async () => {
    const { code, out } = await doctor({}, ['--deep']);
    expect(code).toBe(1);
    expect(out).toMatch(/^PROBLEM +store +the store was not checked/m);
  });
});
