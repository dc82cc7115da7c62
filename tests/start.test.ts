import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MintedToken } from '@stoa/protocol';
import { call, StartFailure, type StartOptions, startDaemon } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stoa } from './stoa-command.js';

const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces()).some((list) => list?.some(({ family }) => family === 'IPv6'));

describe('starting a daemon', () => {
  let home: string;
  const undo: (() => Promise<unknown> | undefined)[] = [];

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'stoa-test-'));
  });
  afterEach(async () => {
    for (const step of undo.splice(0)) await step();
    rmSync(home, { recursive: true, force: true });
  });

  async function start(options: StartOptions = {}) {
    const daemon = await startDaemon({ home, ...options });
    undo.push(() => daemon.kill());
    return daemon;
  }

  async function refusal(options: StartOptions): Promise<StartFailure> {
    const failure = await start(options).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(StartFailure);
    return failure as StartFailure;
  }

  it('F-3 a second daemon on a data directory refuses, naming the pid that holds it, and the first is unharmed', async () => {
    const first = await start();
    await call(first.url, 'POST', '/v1/channels', {
      token: first.token,
      body: { channelId: 'kept', title: 'Kept' },
    });
    const note = readFileSync(join(home, 'daemon.json'), 'utf8');

    const { code, stdout, stderr } = await refusal({});
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain('data_directory_locked');
    expect(stderr).toContain(`pid ${String(first.pid)}`);
    expect(stderr).toContain(home);

    expect(readFileSync(join(home, 'daemon.json'), 'utf8')).toBe(note);
    const kept = await call(first.url, 'GET', '/v1/channels/kept', { token: first.token });
    expect(kept.status).toBe(200);
    expect(await first.stop()).toBe(0);
  });

  it('F-3 a second daemon that is asked for another port refuses as well', async () => {
    const first = await start();
    const { code, stderr } = await refusal({ args: ['--port', '0'] });
    expect(code).not.toBe(0);
    expect(stderr).toContain(`pid ${String(first.pid)}`);
  });

  it('F-4 takes over the data directory of a dead process and says so in the log', async () => {
    const first = await start();
    await first.kill();
    expect(existsSync(join(home, 'daemon.json'))).toBe(true);

    const second = await start();
    const taken = second
      .output()
      .stderr.split('\n')
      .find((line) => line.includes('took over'));
    expect(JSON.parse(taken ?? '{}')).toMatchObject({ pid: first.pid });
    const { status } = await call(second.url, 'GET', '/v1/status', { token: second.token });
    expect(status).toBe(200);
  });

  it('F-4 finds nothing to take over after a clean end', async () => {
    const first = await start();
    expect(await first.stop()).toBe(0);
    expect(existsSync(join(home, 'daemon.json'))).toBe(false);
    const second = await start();
    expect(second.output().stderr).not.toContain('took over');
  });

  describe('on a port that is in use', () => {
    let taken: Server;
    let port: string;

    beforeEach(async () => {
      taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      port = String((taken.address() as AddressInfo).port);
      undo.push(async () => {
        taken.close();
        await once(taken, 'close');
      });
    });

    it('F-5 ends with an error that names the port and what to do, and an exit code that is not 0', async () => {
      const { code, stdout, stderr } = await refusal({ env: { STOA_PORT: port } });
      expect(code).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).toContain('address_in_use');
      expect(stderr).toContain(port);
      expect(stderr).toContain('STOA_PORT');
    });

    it('F-5 leaves nothing half-started: the directory is free at once', async () => {
      await refusal({ env: { STOA_PORT: port } });
      expect(existsSync(join(home, 'daemon.json'))).toBe(false);
      const daemon = await start();
      expect(daemon.output().stderr).not.toContain('took over');
      const { status } = await call(daemon.url, 'GET', '/v1/status', { token: daemon.token });
      expect(status).toBe(200);
    });
  });

  it.for([
    ['0.0.0.0', '127.0.0.1', ['127.0.0.1', 'localhost', '[::1]']],
    ['::', '[::1]', ['127.0.0.1', 'localhost', '[::1]']],
    ['::1', '[::1]', ['localhost']],
  ] as [string, string, string[]][])(
    'listening on %s it is reached at %s, by commands of the same environment too',
    async ([STOA_HOST, hostname, names], { skip }) => {
      if (STOA_HOST.includes(':') && !hasIpv6()) skip('this machine has no IPv6');
      const daemon = await start({ env: { STOA_HOST } });
      expect(new URL(daemon.url).hostname).toBe(hostname);
      expect(new URL(daemon.loginUrl).hostname).toBe(hostname);
      const port = String(daemon.port);
      const statuses = names.map(async (name) => {
        const headers = { host: `${name}:${port}` };
        return (await call(daemon.url, 'GET', '/healthz', { headers })).status;
      });
      expect(await Promise.all(statuses)).toEqual(names.map(() => 200));
      for (const STOA_PORT of [port, '0', '']) {
        const env = { STOA_HOME: home, STOA_HOST, STOA_PORT };
        expect(await stoa(['status'], { env })).toMatchObject({ code: 0, err: '' });
      }
    },
  );

  it('says so when the token file holds the token of somebody else', async () => {
    const first = await start();
    const { json } = await call<MintedToken>(first.url, 'POST', '/v1/tokens', {
      token: first.token,
      body: { humanId: 'anna', name: 'laptop' },
    });
    await first.stop();
    writeFileSync(join(home, 'token'), json.token);
    const { code, stderr } = await refusal({});
    expect(code).not.toBe(0);
    expect(stderr).toContain('data_directory_unusable');
    expect(stderr).toContain('human:anna');
    expect(stderr).not.toContain(json.token);
  });

  it('says where the trouble is when the data directory cannot be made', async () => {
    const file = join(home, 'stoa.yaml');
    const { code, stderr } = await refusal({
      config: 'port: 0\n',
      env: { STOA_HOME: join(file, 'below-a-file'), STOA_CONFIG: file },
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain('data_directory_unusable');
    expect(stderr).toContain(join(file, 'below-a-file'));
  });
});
