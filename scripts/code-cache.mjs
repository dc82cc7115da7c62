// Writes the code cache of the built program, so that it starts without compiling again what it always needs. Runs the
// parts of the program as load-part.ts does, uses a daemon and a few commands, and stores what V8 compiled for that. A
// process of its own, started by prepare.mjs. Node 20 has no such cache of its own.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { Script } from 'node:vm';
import { builtParts } from './bundle.mjs';

const parts = builtParts();
const scripts = new Map();
const loaded = new Map();
// The daemon changes it, but everyone who may read the program may read its cache.
const umask = process.umask();

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-warm-up-'));
Object.assign(process.env, { STOA_HOME: home, STOA_PORT: '0', STOA_LOBBY: 'off' });
try {
  await use(load(parts.main), load(parts['quick-status']));
  process.umask(umask);
  for (const [file, script] of scripts) write(`${file}.cache`, script.createCachedData());
} finally {
  fs.rmSync(home, { recursive: true, force: true });
}

function load(file) {
  if (!loaded.has(file)) loaded.set(file, run(file));
  return loaded.get(file);
}

function run(file) {
  const here = createRequire(file);
  const script = new Script(fs.readFileSync(file, 'latin1'), { filename: file });
  scripts.set(file, script);
  const part = { exports: {} };
  const require = (id) => (id.startsWith('./') ? load(here.resolve(id)) : here(id));
  script.runInThisContext()(part.exports, require, part, file);
  return part.exports;
}

async function use({ main }, { quickStatus }) {
  const stoa = async (...args) => {
    const code = await main(args, 'warm-up');
    if (code !== 0) throw new Error(`stoa ${args.join(' ')} ended with ${code}`);
  };
  // Loads the driver of PostgreSQL: the daemon fails because no server listens at this address.
  process.env.STOA_DATABASE_URL = 'postgres://127.0.0.1:1/none';
  await main(['serve'], 'warm-up');
  delete process.env.STOA_DATABASE_URL;
  const daemon = stoa('serve');
  await Promise.race([daemon, ready()]);
  await stoa('channel', 'create', 'Warm-up', '--id', 'warm-up');
  await stoa('send', 'warm-up', 'hello');
  await stoa('tail', 'warm-up');
  await quickStatus('warm-up', false);
  process.kill(process.pid, 'SIGTERM');
  await daemon;
}

/** Resolves when the daemon, which runs in this process, prints that it is ready. */
function ready() {
  return new Promise((resolve) => {
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (text, ...rest) => {
      if (String(text).startsWith('Stoa is ready')) resolve();
      return write(text, ...rest);
    };
  });
}

function write(file, contents) {
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, contents);
  fs.renameSync(temporary, file);
}
