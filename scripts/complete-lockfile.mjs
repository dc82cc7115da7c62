// Run after `npm install` has changed package-lock.json: puts back the packages of other platforms;
// with --check it only says whether any are missing.
//
// npm leaves an optional package out of the lockfile when it could not fetch it, which happens with
// registry mirrors that hold only the platforms in use; `npm ci` then refuses the lockfile on every
// platform. What such an entry needs is known without fetching it: its parent names the exact version,
// its name the platform. Only the checksum is not: npm takes the registry's own for these.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './run.mjs';

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
];
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
];
const libraries = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

const file = path.join(root, 'package-lock.json');
const lock = JSON.parse(fs.readFileSync(file, 'utf8'));
const added = complete(lock.packages);
if (added.length === 0) {
  console.log('package-lock.json is complete.');
} else if (process.argv.includes('--check')) {
  console.error(`package-lock.json lacks: ${added.join(', ')}`);
  console.error('Run: node scripts/complete-lockfile.mjs');
  process.exitCode = 1;
} else {
  fs.writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`Added: ${added.join(', ')}`);
}

function complete(packages) {
  const missing = Object.entries(packages).flatMap(([location, parent]) =>
    Object.entries(parent.optionalDependencies ?? {})
      .filter(([name]) => !isLocked(packages, location, name))
      .map(([name, version]) => [name, entry(name, version, parent)]),
  );
  for (const [name, value] of missing) packages[`node_modules/${name}`] = value;
  const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [location, value] of sorted) {
    delete packages[location];
    packages[location] = value;
  }
  return missing.map(([name]) => name);
}

/** Looks where Node would: beside the parent, and then in every node_modules above it. */
function isLocked(packages, location, name) {
  for (let above = location; ; above = above.slice(0, above.lastIndexOf('/node_modules/'))) {
    if (`${above}/node_modules/${name}` in packages) return true;
    if (!above.includes('/node_modules/')) return `node_modules/${name}` in packages;
  }
}

function entry(name, version, parent) {
  if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name}: no exact version: ${version}`);
  const words = name.slice(name.indexOf('/') + 1).split('-');
  const os = words.includes('win32') ? 'win32' : systems.find((word) => words.includes(word));
  const cpu = words.includes('wasm32') ? 'wasm32' : processors.find((word) => words.includes(word));
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
