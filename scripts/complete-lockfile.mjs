// Run it after `npm install` has changed package-lock.json: it restores the packages of other platforms. With --check it only
// reports whether any are missing.
//
// npm omits an optional package from the lockfile if it could not download it, which happens with a registry mirror that has only
// the platforms in use; `npm ci` then refuses the lockfile on every platform. The parent of the package names its exact version, and
// its own name the platform. Only the checksum is unknown; npm then uses the one of the registry.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './run.mjs';

const systems = 'aix android darwin freebsd linux netbsd openbsd openharmony sunos win32'.split(
  ' ',
);
const processors = 'arm64 arm ia32 loong64 mips64el ppc64 riscv64 s390x wasm32 x64'.split(' ');
const libraries = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

const file = path.join(root, 'package-lock.json');
const lock = JSON.parse(fs.readFileSync(file, 'utf8'));
const missing = Object.entries(lock.packages).flatMap(([location, parent]) =>
  Object.entries(parent.optionalDependencies ?? {})
    .filter(([name]) => !isLocked(location, name))
    .map(([name, version]) => [name, entry(name, version, parent)]),
);
const names = missing.map(([name]) => name).join(', ');
if (missing.length === 0) {
  console.log('package-lock.json is complete.');
} else if (process.argv.includes('--check')) {
  console.error(`package-lock.json lacks: ${names}\nRun: node scripts/complete-lockfile.mjs`);
  process.exitCode = 1;
} else {
  const added = missing.map(([name, value]) => [`node_modules/${name}`, value]);
  const all = [...Object.entries(lock.packages), ...added].sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = Object.fromEntries(all);
  fs.writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`Added: ${names}`);
}

/** Searches like Node: beside the parent, and then in every node_modules above it. */
function isLocked(location, name) {
  for (let above = location; ; above = above.slice(0, above.lastIndexOf('/node_modules/'))) {
    if (`${above}/node_modules/${name}` in lock.packages) return true;
    if (!above.includes('/node_modules/')) return `node_modules/${name}` in lock.packages;
  }
}

function entry(name, version, parent) {
  if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name}: no exact version: ${version}`);
  const words = name.slice(name.indexOf('/') + 1).split('-');
  const os = systems.find((word) => words.includes(word));
  const cpu = processors.find((word) => words.includes(word));
  const libc = words.map((word) => libraries[word]).find((library) => library !== undefined);
  if (cpu === undefined) throw new Error(`${name}: no processor in its name`);
  return {
    version,
    cpu: [cpu],
    ...(parent.dev === true ? { dev: true } : {}),
    ...(os === 'linux' && libc !== undefined ? { libc: [libc] } : {}),
    optional: true,
    ...(os === undefined ? {} : { os: [os] }),
  };
}
