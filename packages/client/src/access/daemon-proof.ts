import type { AccessToken, DaemonProof, GrantAccess, ProveDaemon } from '@stoa/protocol';
import { proofText, ROUTES } from '@stoa/protocol/constants';
import { requestUrl } from '../http/request-url.js';
import type { Transport, TransportAnswer } from '../http/transport.js';
import { problemFrom, StoaProblem } from '../problem.js';

/** HMAC-SHA256 of the text in hex, with a key that both sides know. */
export type Sign = (text: string) => string | Promise<string>;

export interface ProofPorts {
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly timeoutMs: number;
}

type KeyName = DistributiveOmit<ProveDaemon, 'nonce' | 'host'>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/**
 * The server proves the key. Rejects with `daemon_not_proven` if it does not, and with `unauthenticated` if it
 * answers that it knows no such token. Sends nothing secret.
 */
export async function proveDaemon(
  ports: ProofPorts,
  key: KeyName,
  sign: Sign,
): Promise<Pick<GrantAccess, 'host' | 'nonce' | 'challenge'>> {
  const { host } = new URL(ports.baseUrl);
  const nonce = newNonce();
  const answer = await send(ports, ROUTES.proveDaemon.path, { ...key, host, nonce });
  const { challenge, proofs } = proofIn(ports, answer);
  if (key.of === 'token' && proofs.length === 0) {
    const detail = `the server at ${ports.baseUrl} does not know this token, so it was not sent`;
    throw new StoaProblem('unauthenticated', UNAUTHENTICATED, detail);
  }
  const shared = { host, nonce, challenge };
  const expected = await sign(proofText('daemon', shared));
  if (!proofs.includes(expected)) {
    throw notProven(ports, 'it does not know the key');
  }
  return shared;
}

/** After the daemon has proven the key, the page does, and gets an access token. */
export async function grantAccess(
  ports: ProofPorts,
  credentialId: string,
  sign: Sign,
): Promise<AccessToken> {
  const shared = await proveDaemon(ports, { of: 'browser', credentialId }, sign);
  const proof = await sign(proofText('page', shared));
  const answer = await send(ports, ROUTES.grantAccess.path, { credentialId, ...shared, proof });
  if (answer.status !== ROUTES.grantAccess.status)
    throw problemFrom(answer.status, textOf(answer), ports.baseUrl);
  return JSON.parse(textOf(answer)) as AccessToken;
}

const UNAUTHENTICATED = 401;
const UNAVAILABLE = 503;

function send(ports: ProofPorts, path: string, body: object): Promise<TransportAnswer> {
  return ports.transport({
    method: 'POST',
    url: requestUrl(ports.baseUrl, path, {}, {}),
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    timeoutMs: ports.timeoutMs,
  });
}

function proofIn(ports: ProofPorts, answer: TransportAnswer): DaemonProof {
  if (answer.status === UNAVAILABLE) {
    const problem = problemFrom(answer.status, textOf(answer), ports.baseUrl);
    // A stopping daemon answers with its own problem; any other answer is not from a daemon.
    if (problem.code !== 'daemon_unreachable') throw problem;
  }
  try {
    const value = JSON.parse(textOf(answer)) as Partial<DaemonProof> | null;
    if (typeof value?.challenge === 'string' && Array.isArray(value.proofs)) {
      return value as DaemonProof;
    }
  } catch {
    // Reported below.
  }
  throw notProven(ports, `it answered with HTTP status ${String(answer.status)} and no proof`);
}

function notProven({ baseUrl }: ProofPorts, why: string): StoaProblem {
  const detail = `the server at ${baseUrl} did not prove that it is the daemon, so nothing was sent to it: ${why}`;
  return new StoaProblem('daemon_not_proven', UNAVAILABLE, detail);
}

const NONCE_BYTES = 16;

function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const textOf = ({ body }: TransportAnswer): string => new TextDecoder().decode(body);
