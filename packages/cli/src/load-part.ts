import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';

/** Put in by the bundler: what the names of this build's parts end with. */
declare const BUILD: string;

interface Parts {
  readonly main: typeof import('./main.js');
  readonly 'quick-status': typeof import('./quick-status.js');
}

const here = createRequire(import.meta.url);
const loaded = new Map<string, unknown>();

/**
 * Runs a part of the program, which the bundler wrote as one script, with the code that the build has
 * compiled already: compiling is most of what a start costs. The name of a part holds the hash of its
 * sources, so a cache is never another source's; V8 itself refuses one that another version or other
 * flags have made, and compiles the source as if there were none.
 */
export function loadPart<Name extends keyof Parts>(name: Name): Parts[Name] {
  return load(`./${name}-${BUILD}.js`) as Parts[Name];
}

function load(id: string): unknown {
  if (!loaded.has(id)) loaded.set(id, run(id));
  return loaded.get(id);
}

function run(id: string): unknown {
  const filename = here.resolve(id);
  // The bundler writes ASCII: anything else would be two bytes a character.
  const source = readFileSync(filename, 'latin1');
  const cachedData = readIfThere(`${filename}.cache`);
  const script = new Script(source, { filename, ...(cachedData && { cachedData }) });
  const part = { exports: {} };
  const wrapped = script.runInThisContext() as (...surroundings: unknown[]) => void;
  wrapped(part.exports, requireOrLoad, part, filename);
  return part.exports;
}

const requireOrLoad = (id: string): unknown => (id.startsWith('./') ? load(id) : here(id));

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
