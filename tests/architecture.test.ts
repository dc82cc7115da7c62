import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = path.dirname(import.meta.dirname);

describe('the lint of core', () => {
  it.each([
    ['Date.now', 'export const now = Date.now();'],
    ['new Date', 'export const now = new Date();'],
    ['Date under another name', 'const Clock = Date; export const now = Clock.now();'],
    ['Date through globalThis', 'export const now = globalThis.Date.now();'],
    ['Intl.DateTimeFormat', 'export const now = new Intl.DateTimeFormat().format();'],
    ['performance', 'export const now = performance.now();'],
    ['Math.random', 'export const chance = Math.random();'],
    ['Math.random by destructuring', 'const { random } = Math; export const chance = random();'],
    ['crypto.randomUUID', 'export const id = crypto.randomUUID();'],
    ['crypto.getRandomValues', 'export const x = crypto.getRandomValues(new Uint8Array(8));'],
    ['setTimeout', 'setTimeout(() => undefined, 1);'],
    ['setInterval', 'setInterval(() => undefined, 1);'],
    ['setImmediate', 'setImmediate(() => undefined);'],
    ['queueMicrotask', 'queueMicrotask(() => undefined);'],
    ['AbortSignal.timeout', 'export const signal = AbortSignal.timeout(5);'],
    ['fetch', "export const answer = fetch('http://127.0.0.1');"],
    ['process', 'export const home = process.env.HOME;'],
    ['console', "console.log('x');"],
    ['eval', "export const now = eval('Date.now()');"],
    ['import.meta', 'export const here = import.meta.url;'],
    ['node:fs', "import fs from 'node:fs'; export const text = fs.readFileSync('x');"],
    ['fs', "import { readFileSync } from 'fs'; export const text = readFileSync('x');"],
    ['node:child_process', "import { spawn } from 'node:child_process'; spawn('true');"],
    ['child_process', "import { spawn } from 'child_process'; spawn('true');"],
    ['node:crypto', "import { randomUUID } from 'node:crypto'; export const id = randomUUID();"],
    ['node:timers', "import { setTimeout } from 'node:timers/promises'; await setTimeout(1);"],
    ['import() of fs', "export const fs = await import('node:fs');"],
    ['import() of a computed name', 'export const load = (name: string) => import(name);'],
    ['require', "export const fs = require('node:fs');"],
    ['an export from fs', "export { readFileSync } from 'node:fs';"],
    ['an npm package', "import pg from 'pg'; export const Pool = pg.Pool;"],
    ['JSON.parse', "export const value: unknown = JSON.parse('{}');"],
    ['the daemon', "import * as daemon from '@stoa/daemon'; export const x = daemon;"],
  ])('F-31 refuses %s', async (_, code) => {
    expect(await refusals('packages/core/src/channels/snippet.ts', code)).not.toEqual([]);
    // The same text is fine where there is no such rule: it is not refused for another reason.
    expect(await refusals('packages/core/src/channels/snippet.test.ts', code)).toEqual([]);
  });

  it('F-31 lets pure code pass', async () => {
    const code = `
      import type { Store } from '@stoa/store';
      import { limits } from '@stoa/protocol';
      import { arbitrate } from './arbitrate.js';
      export interface Ports { now(): number; random(): number; store: Store }
      export const decide = (ports: Ports, date: string): number =>
        Math.max(arbitrate(ports.now(), date), limits.text, ports.random());
    `;
    expect(await refusals('packages/core/src/channels/snippet.ts', code)).toEqual([]);
  });

  it('F-31 demands a reason beside every eslint-disable', async () => {
    const bare = '// eslint-disable-next-line no-restricted-globals\nexport const x = Date.now();';
    const file = 'packages/core/src/channels/snippet.ts';
    expect(await refusals(file, bare)).toEqual(['stoa/described-disable']);
    const reasoned = bare.replace('globals', 'globals -- a reason');
    expect(await refusals(file, reasoned)).toEqual([]);
  });
});

describe('the lint of regular expressions', () => {
  it.each([
    ['adjacent quantifiers', 'regexp/no-super-linear-backtracking', String.raw`/^\s*-?\s*x$/`],
    ['nested quantifiers', 'regexp/no-super-linear-backtracking', String.raw`/^(?:a+)+$/`],
    ['a quantifier at the start', 'regexp/no-super-linear-move', String.raw`/\s+$/`],
    ['quantifiers in a lookaround', 'stoa/linear-regexp', String.raw`/<(?=\s*\/?\s*x)/`],
    ['a start that is taken again', 'stoa/linear-regexp', String.raw`/<title[^>]*>/`],
  ])('SE-48 refuses %s, except in a worker', async (_, rule, pattern) => {
    const code = `export const isFound = (text: string): boolean => ${pattern}.test(text);`;
    for (const name of ['agent', 'core', 'daemon', 'web', 'cli', 'client']) {
      expect(await slowPatterns(`packages/${name}/src/snippet.ts`, code)).toContain(rule);
    }
    expect(await slowPatterns('packages/web/src/message/snippet-worker.ts', code)).toEqual([]);
  });

  it('SE-48 lets bounded and unambiguous expressions pass', async () => {
    const patterns = [
      String.raw`/^\s{0,9}-?\s{0,9}x$/`,
      String.raw`/(?<!\s)\s+$/`,
      String.raw`/"[^"]*"/`,
      String.raw`/@(\w+)/g`,
    ];
    const code = `export const all: RegExp[] = [${patterns.join(', ')}];`;
    expect(await slowPatterns('packages/core/src/snippet.ts', code)).toEqual([]);
  });
});

describe('the lint of the borders between packages', () => {
  it.each([
    ['packages/protocol/src/a.ts', "import '@stoa/store';", 'stoa/import-allow-list'],
    ['packages/protocol/src/a.ts', "import 'node:fs';", 'stoa/import-allow-list'],
    ['packages/client/src/a.ts', "import '@stoa/protocol';", 'stoa/import-allow-list'],
    [
      'packages/client/src/a.ts',
      "import { type A } from '@stoa/protocol';",
      'stoa/import-allow-list',
    ],
    ['packages/daemon/src/a.ts', "import '@stoa/store/src/store.js';", 'stoa/package-boundary'],
    ['packages/daemon/src/a.ts', "await import('@stoa/core/dist/x.js');", 'stoa/package-boundary'],
    ['packages/daemon/src/a.ts', "import '../../store/src/index.js';", 'stoa/package-boundary'],
    ['tests/a.test.ts', "import '../packages/store/src/index.js';", 'stoa/package-boundary'],
  ])('F-32 refuses in %s: %s', async (file, code, rule) => {
    expect(await refusals(file, code)).toContain(rule);
  });

  it.each([
    ['packages/protocol/src/a.ts', "import 'zod'; import './b.js';"],
    ['packages/client/src/a.ts', "import type { A } from '@stoa/protocol'; export type B = A;"],
    ['packages/daemon/src/a.ts', "import '@stoa/store'; import '../src/b.js'; import 'fastify';"],
    ['tests/a.test.ts', "import '@stoa/testkit'; import './b.js';"],
  ])('F-32 lets pass in %s: %s', async (file, code) => {
    expect(await refusals(file, code)).toEqual([]);
  });
});

describe('the arrows between packages', () => {
  const importable = ['protocol', 'shell', 'store', 'core', 'daemon', 'client', 'testkit'];
  const plan: Record<string, string[]> = {
    protocol: [],
    shell: [],
    store: ['protocol'],
    core: ['protocol', 'shell', 'store'],
    daemon: ['protocol', 'store', 'core'],
    client: ['protocol'],
    cli: ['protocol', 'client'],
    testkit: ['protocol', 'shell', 'store', 'core', 'daemon', 'client'],
  };

  let tree: string;

  beforeEach(() => {
    tree = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-arrows-'));
    fs.copyFileSync(path.join(root, 'tsconfig.base.json'), path.join(tree, 'tsconfig.base.json'));
    fs.copyFileSync(path.join(root, 'tsconfig.tests.json'), path.join(tree, 'tsconfig.tests.json'));
    fs.mkdirSync(path.join(tree, 'node_modules/@stoa'), { recursive: true });
    for (const name of Object.keys(plan)) {
      const directory = path.join(tree, 'packages', name);
      fs.cpSync(path.join(root, 'packages', name, 'package.json'), `${directory}/package.json`);
      fs.symlinkSync(directory, path.join(tree, 'node_modules/@stoa', name));
      write(`packages/${name}/src/index.ts`, 'export {};');
    }
  });

  afterEach(() => {
    fs.rmSync(tree, { recursive: true, force: true });
  });

  function write(file: string, code: string) {
    fs.mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    fs.writeFileSync(path.join(tree, file), `${code}\n`);
  }

  /** `rule: from -> to` of everything dependency-cruiser refuses in the tree. */
  function violations(): string[] {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        path.join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
        ...['--config', path.join(root, '.dependency-cruiser.cjs')],
        ...['--output-type', 'json', 'packages'],
      ],
      { cwd: tree, encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    const result = JSON.parse(stdout) as {
      summary: { violations: { rule: { name: string }; from: string; to: string }[] };
    };
    return result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
  }

  it('F-32 refuses exactly the arrows that are not in the plan', () => {
    const expected: string[] = [];
    for (const [from, known] of Object.entries(plan)) {
      for (const to of importable.filter((name) => name !== from)) {
        const file = `packages/${from}/src/to-${to}.ts`;
        write(file, `import '@stoa/${to}';`);
        if (!known.includes(to)) expected.push(`${file} -> packages/${to}/src/index.ts`);
      }
    }
    const refused = violations()
      .filter((line) => line.startsWith('arrow-') || line.startsWith('cli-'))
      .map((line) => line.slice(line.indexOf(': ') + 2));
    expect(refused.sort()).toEqual(expected.sort());
  });

  it('F-32 lets the daemon be loaded through commands/serve.ts alone, and only when it is needed', () => {
    const serve = 'packages/cli/src/commands/serve.ts';
    write(serve, "export const serve = () => import('@stoa/daemon');");
    expect(violations()).toEqual([]);
    write(serve, "import '@stoa/daemon';");
    expect(violations()).toEqual([
      `cli-serve-is-dynamic: ${serve} -> packages/daemon/src/index.ts`,
    ]);
  });

  it('F-32 refuses an import that reaches into a package', () => {
    write('packages/store/src/secret.ts', "import './index.js';");
    write('packages/core/src/thief.ts', "import '../../store/src/secret.js';");
    expect(violations()).toEqual([
      'no-deep-import: packages/core/src/thief.ts -> packages/store/src/secret.ts',
    ]);
    write('packages/core/src/thief.ts', "import '@stoa/store/src/secret.js';");
    expect(violations()).toEqual([
      'no-unresolvable: packages/core/src/thief.ts -> @stoa/store/src/secret.js',
    ]);
  });

  it('F-32 refuses a cycle, also one of types', () => {
    write('packages/core/src/a.ts', "import type { B } from './b.js'; export type A = B[];");
    write('packages/core/src/b.ts', "import type { A } from './a.js'; export type B = A[];");
    expect(violations()).toContainEqual(
      'no-cycle: packages/core/src/a.ts -> packages/core/src/b.ts',
    );
  });

  it('F-32 refuses imports between modules of core that are not declared, and a kernel that knows one', () => {
    write('packages/core/src/turns/turns.ts', 'export {};');
    write('packages/core/src/channels/thief.ts', "import '../turns/turns.js';");
    write('packages/core/src/turns/reader.ts', "import '../channels/thief.js';");
    write('packages/core/src/kernel/log.ts', "import '../turns/turns.js';");
    write('packages/core/src/permissions/decide.ts', "import '../turns/turns.js';");
    expect(violations().sort()).toEqual([
      'kernel-knows-no-module: packages/core/src/kernel/log.ts -> packages/core/src/turns/turns.ts',
      'module-channels: packages/core/src/channels/thief.ts -> packages/core/src/turns/turns.ts',
      'pure-decisions-know-no-module: packages/core/src/permissions/decide.ts -> packages/core/src/turns/turns.ts',
    ]);
  });

  it('F-32 refuses a product file that needs a development dependency, or an undeclared one', () => {
    fs.symlinkSync(path.join(root, 'node_modules/ws'), path.join(tree, 'node_modules/ws'));
    fs.symlinkSync(path.join(root, 'node_modules/yaml'), path.join(tree, 'node_modules/yaml'));
    write('packages/core/package.json', '{"name":"@stoa/core","devDependencies":{"ws":"8"}}');
    write('packages/core/src/a.ts', "import 'ws';");
    write('packages/core/src/b.ts', "import 'yaml';");
    expect(violations().map((line) => line.split(' -> ')[0])).toEqual([
      'no-dev-dependency: packages/core/src/a.ts',
      'no-undeclared-dependency: packages/core/src/b.ts',
    ]);
  });
});

describe('the modules of core', () => {
  it('are drawn in ARCHITECTURE.md as they are', () => {
    const { withGraph } = createRequire(import.meta.url)('../scripts/core-modules.cjs') as {
      readonly withGraph: (document: string) => string;
    };
    const document = fs.readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
    expect(withGraph(document)).toBe(document);
  });
});

// The architecture rules need no types, and a snippet that is in no project has none.
const eslint = new ESLint({ cwd: root, overrideConfig: [tseslint.configs.disableTypeChecked] });

const architectureRules = [
  'no-restricted-globals',
  'no-restricted-properties',
  'no-restricted-syntax',
];

/** The names of the rules about regular expressions that refuse this code in this file. */
async function slowPatterns(file: string, code: string): Promise<string[]> {
  const names = await broken(file, code);
  return names.filter((name) => name.startsWith('regexp/') || name === 'stoa/linear-regexp');
}

/** The names of the rules that this code breaks in this file. */
async function broken(file: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: path.join(root, file) });
  return (result?.messages ?? []).map(({ ruleId, message }) => {
    if (ruleId === null) throw new Error(`the snippet cannot be linted: ${message}`);
    return ruleId;
  });
}

/** The names of the architecture rules that refuse this code in this file. */
async function refusals(file: string, code: string): Promise<string[]> {
  const names = await broken(file, code);
  return names.filter((name) => name.startsWith('stoa/') || architectureRules.includes(name));
}
