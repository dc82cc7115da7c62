import { createHmac } from 'node:crypto';
import { type GrantAccess, LIMITS, type ProveDaemon, proofText } from '@stoa/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../client.js';
import { ConnectionLost, type TransportAnswer, type TransportRequest } from '../http/transport.js';
import type { StoaProblem } from '../problem.js';
import { browserLogin } from './browser-login.js';

const CREDENTIAL = `crd_${'0'.repeat(26)}`;
const HOST = '127.0.0.1:7117';
const sign = (text: string, key = 'key'): string =>
  createHmac('sha256', key).update(text).digest('hex');
const answer = (status: number, body: unknown): TransportAnswer => ({
  status,
  body: new TextEncoder().encode(JSON.stringify(body)),
});

/** A daemon as far as a page needs one to come in. */
class Daemon {
  key = 'key';
  isAway = false;
  hasLogin = true;
  good = new Set<string>();
  readonly asked: string[] = [];
  readonly accessTokens: (string | undefined)[] = [];

  readonly transport = ({ url, body, headers }: TransportRequest): Promise<TransportAnswer> => {
    const { pathname } = new URL(url);
    this.asked.push(pathname);
    if (this.isAway) return Promise.reject(new ConnectionLost('gone', false));
    return Promise.resolve(this.#answer(pathname, String(body), headers));
  };

  #answer(path: string, body: string, headers: TransportRequest['headers']): TransportAnswer {
    if (path === '/v1/daemon-proofs') {
      const { host, nonce } = JSON.parse(body) as ProveDaemon;
      const text = proofText('daemon', { host, nonce, challenge: 'challenge' });
      return answer(200, { challenge: 'challenge', proofs: [sign(text, this.key)] });
    }
    if (path === '/v1/access-tokens') {
      const { proof, ...shared } = JSON.parse(body) as GrantAccess;
      if (!this.hasLogin || proof !== sign(proofText('page', shared), this.key)) {
        return answer(401, { code: 'unauthenticated', detail: 'ended' });
      }
      const accessToken = `token-${String(this.good.size + 1)}`;
      this.good.add(accessToken);
      return answer(201, { accessToken, expiresAt: 0 });
    }
    const token = headers['stoa-access-token'];
    this.accessTokens.push(token);
    if (token === undefined || !this.good.has(token)) {
      return answer(401, { code: 'unauthenticated', detail: 'no' });
    }
    return answer(200, {});
  }
}

describe('the login of a page', () => {
  let daemon: Daemon;
  let now: number;
  let outcomes: (StoaProblem | undefined)[];

  beforeEach(() => {
    daemon = new Daemon();
    now = 0;
    outcomes = [];
  });

  const pageWith = (key: { credentialId: string; sign: typeof sign } | undefined) =>
    createClient({
      baseUrl: `http://${HOST}`,
      transport: daemon.transport,
      retry: { attempts: 1 },
      credential: browserLogin({
        baseUrl: `http://${HOST}`,
        transport: daemon.transport,
        key: () => Promise.resolve(key && { ...key, sign: (text) => key.sign(text) }),
        onOutcome: (problem) => outcomes.push(problem),
        now: () => now,
      }),
    });
  const page = () => pageWith({ credentialId: CREDENTIAL, sign });

  it('gets access once for all calls, and again well before it expires', async () => {
    const client = page();
    await Promise.all([client.status(), client.status(), client.whoami()]);
    expect(daemon.accessTokens).toEqual(['token-1', 'token-1', 'token-1']);
    now = LIMITS.accessTokenMs - 60_000;
    await client.status();
    expect(daemon.accessTokens.at(-1)).toBe('token-2');
    expect(outcomes).toEqual([undefined, undefined]);
  });

  it('proves the daemon again after a lost connection before it sends anything', async () => {
    const client = page();
    await client.status();
    daemon.isAway = true;
    await expect(client.status()).rejects.toMatchObject({ code: 'daemon_unreachable' });
    daemon.isAway = false;
    daemon.key = 'of somebody else';
    daemon.asked.length = 0;
    daemon.accessTokens.length = 0;
    await expect(client.status()).rejects.toMatchObject({ code: 'daemon_not_proven', status: 503 });
    expect(daemon.asked).toEqual(['/v1/daemon-proofs']);
    expect(daemon.accessTokens).toEqual([]);
    expect(outcomes.at(-1)?.code).toBe('daemon_not_proven');
    daemon.key = 'key';
    await client.status();
    expect(outcomes.at(-1)).toBeUndefined();
  });

  it('gets new access after a restart of the daemon, and tries that once', async () => {
    const client = page();
    await client.status();
    daemon.good = new Set(['another', 'one']);
    await client.status();
    expect(daemon.accessTokens).toEqual(['token-1', 'token-1', 'token-3']);
    daemon.good = { has: () => false, add: () => undefined, size: 8 } as unknown as Set<string>;
    await expect(client.status()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(daemon.accessTokens.slice(3)).toEqual(['token-3', 'token-9']);
  });

  it('ends when the daemon, after its proof, reports it', async () => {
    daemon.hasLogin = false;
    await expect(page().status()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
    expect(daemon.accessTokens).toEqual([]);
  });

  it('sends no request without a key', async () => {
    await expect(pageWith(undefined).status()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(daemon.asked).toEqual([]);
  });
});
