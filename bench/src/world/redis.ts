import { accessSync, constants } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { Skipped } from '../benchmark.js';
import { Child } from './child.js';
import { openDirectory } from './directory.js';
import type { Scope } from './scope.js';

/** A Redis that syncs its log before it answers, on a free port, with its data in a directory of its own. */
export async function startRedis(scope: Scope, directory = openDirectory(scope)): Promise<number> {
  const command = findOnPath('redis-server');
  if (command === undefined) throw new Skipped('there is no redis-server on the PATH');
  const port = await freePort();
  const settings: Record<string, string> = {
    port: String(port),
    bind: '127.0.0.1',
    dir: directory,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
    // Its log stays as long as what was written.
    'auto-aof-rewrite-percentage': '0',
  };
  await Child.start(scope, {
    command,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    ready: /Ready to accept connections/,
  });
  return port;
}

export function connectRedis(scope: Scope, port: number): Redis {
  const redis = new Redis({ host: '127.0.0.1', port });
  scope.defer(() => {
    redis.disconnect();
  });
  return redis;
}

function findOnPath(name: string): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => {
        resolve(port);
      });
    });
  });
}
