// The code cache of the bundled program: what V8 made of it in one start, so that the next starts need
// not compile it again. Without it everything works, only slower.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { builtParts } from './bundle.mjs';
import { root } from './root.mjs';

const limitInMs = 60_000;

/** Makes the cache of the last build where it is missing. Needs SQLite: a daemon is started for it. */
export async function cachePrograms() {
  const files = Object.values(builtParts());
  if (files.every((file) => fs.existsSync(`${file}.cache`))) return;
  const { status, output } = await runQuietly([path.join(root, 'scripts/warm-up.mjs')]);
  if (status === 0) return;
  console.warn(`Stoa will start more slowly: its code could not be compiled ahead.\n${output}`);
}

function runQuietly(args) {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: Object.fromEntries(
      // Of Stoa the settings, of Node the flags: a cache is only for who has the same.
      Object.entries(process.env).filter(([name]) => !/^(STOA_|NODE_OPTIONS$)/.test(name)),
    ),
    timeout: limitInMs,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output }));
  });
}
