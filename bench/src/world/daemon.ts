import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@stoa/client';
import { createNodeClient } from '@stoa/client/node';
import { Child } from './child.js';
import type { Scope } from './scope.js';

/** The program people run; this file is in bench/dist once it is bundled. */
export const STOA = fileURLToPath(new URL('../../packages/cli/dist/stoa.js', import.meta.url));

export interface Daemon {
  readonly child: Child;
  readonly home: string;
  readonly port: number;
  readonly token: string;
  readonly client: Client;
}

/** Starts the real daemon as its own process on a free port. */
export async function startDaemon(
  scope: Scope,
  home: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Daemon> {
  const child = await Child.start(scope, {
    command: process.execPath,
    args: [STOA, 'serve'],
    env: { STOA_HOME: home, STOA_PORT: '0', STOA_LOBBY: 'off', ...env },
    ready: /Stoa is ready at (\S+)/,
  });
  const url = child.readyText;
  const token = readFileSync(join(home, 'token'), 'utf8').trim();
  const client = createNodeClient({ baseUrl: url, token });
  scope.defer(() => {
    client.close();
  });
  return { child, home, port: Number(new URL(url).port), token, client };
}
