import net from 'node:net';
import { StoaProblem } from '@stoa/client';
import type { Status } from '@stoa/protocol';
import type { Context } from '../context.js';
import { isLoopback, livingDaemon } from '../locate.js';
import { type Finding, note, ok, problem } from './finding.js';

/** What answers where the daemon should be. */
export type Answer =
  | { readonly kind: 'daemon'; readonly status: Status }
  | { readonly kind: 'other daemon' }
  | { readonly kind: 'unproven' }
  | { readonly kind: 'refused'; readonly code: string; readonly detail: string }
  | { readonly kind: 'something else' }
  | { readonly kind: 'nobody' };

export async function checkAddress(context: Context): Promise<Finding[]> {
  const { url, home, token, tokenFrom, tokenIsOwn } = context.located;
  const given = token === undefined || tokenIsOwn ? undefined : tokenFrom;
  return judgeAnswer(await ask(context), url, livingDaemon(home)?.pid, context.version, given);
}

async function ask(context: Context): Promise<Answer> {
  try {
    return { kind: 'daemon', status: await context.client.status() };
  } catch (error) {
    if (!(error instanceof StoaProblem)) throw error;
    if (error.code === 'unauthenticated') return { kind: 'other daemon' };
    if (error.code === 'daemon_not_proven') return { kind: 'unproven' };
    if (error.code !== 'daemon_unreachable') {
      return { kind: 'refused', code: error.code, detail: error.detail };
    }
    const isTaken = await isListening(new URL(context.located.url));
    return { kind: isTaken ? 'something else' : 'nobody' };
  }
}

export function judgeAnswer(
  answer: Answer,
  url: string,
  holder: number | undefined,
  version: string,
  /** Where the token came from, if not from the data directory. */
  tokenFrom?: string,
): Finding[] {
  switch (answer.kind) {
    case 'daemon':
      return [ok('port', `${url} is used by this daemon`), ...judgeStatus(answer.status, version)];
    case 'other daemon':
      return [
        problem(
          'port',
          `${url} is used by a Stoa daemon that does not accept this token`,
          tokenFrom === undefined
            ? 'set STOA_HOME to its data directory, or choose another port for yours: stoa serve --port'
            : `the token came from ${tokenFrom}: correct it, or omit it to use the token of the data directory`,
        ),
      ];
    case 'unproven':
      return [
        problem(
          'port',
          `the program at ${url} did not prove that it knows this token; the token was not sent`,
          tokenFrom === undefined
            ? 'set STOA_HOME to its data directory if it is a Stoa daemon, or stop that program'
            : `the token came from ${tokenFrom}: correct it, or omit it to use the token of the data directory`,
        ),
      ];
    case 'refused':
      return [
        problem(
          'daemon',
          `the daemon at ${url} answers: ${answer.detail} (${answer.code})`,
          'check the log of the daemon',
        ),
      ];
    case 'something else':
      return [
        problem(
          'port',
          `${url} is used by another program`,
          'stop that program, or choose another port: stoa serve --port, STOA_PORT',
        ),
      ];
    case 'nobody':
      return holder === undefined
        ? [ok('port', portIsFree(url)), note('daemon', 'not running; start it with: stoa serve')]
        : [
            problem(
              'daemon',
              `the daemon with pid ${holder} holds the data directory but does not answer at ${url}`,
              'wait if it is starting; otherwise stop it and start it again',
            ),
          ];
  }
}

function portIsFree(url: string): string {
  const { hostname, port } = new URL(url);
  return isLoopback(hostname) ? `${port || '80'} is free` : `nothing listens at ${url}`;
}

function judgeStatus(status: Status, version: string): Finding[] {
  const running = `Stoa ${status.version}, ${status.engine} ${status.engineVersion}`;
  return [
    status.version === version
      ? ok('daemon', running)
      : note(
          'daemon',
          `${running}; this command is ${version}: restart the daemon after an update`,
        ),
    status.durability === 'full'
      ? ok('durability', 'full: acknowledged writes are on disk')
      : note(
          'durability',
          'relaxed by configuration: a power cut may lose the last acknowledged writes',
        ),
    ...status.warnings.map((warning) => note('daemon', warning)),
  ];
}

function isListening(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    const socket = net.connect({ host, port, timeout: 2_000 });
    const answer = (isTaken: boolean) => (): void => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.on('connect', answer(true));
    socket.on('timeout', answer(false));
    socket.on('error', answer(false));
  });
}
