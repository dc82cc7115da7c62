import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  ChannelEvent,
  ERRORS,
  HumanEvent,
  LIMITS,
  ROUTES,
  type Route,
  StreamFrame,
  StreamRequest,
} from '@stoa/protocol';
import { call, startDaemon } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { codeBlocks, markProblems } from './docs/code-blocks.js';
import { commandLine, stoa } from './docs/command-line.js';
import { brokenLinks } from './docs/links.js';
import { runDocument } from './docs/run-document.js';
import { type JsonSchema, settingsIn } from './docs/settings.js';
import { typeErrors } from './docs/type-check.js';
import { ROOT } from './docs/workbench.js';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].sort();
const RUNNING = DOCUMENTS.filter((file) =>
  codeBlocks(read(file)).some(({ mark }) => mark === 'run'),
);

describe('the examples in the documentation', () => {
  it.each(RUNNING)('F-33 run as shown in %s', async (file) => {
    await runDocument(read(file));
  });

  it.each(DOCUMENTS)('F-33 say in %s whether they run', (file) => {
    expect(markProblems(codeBlocks(read(file)))).toEqual([]);
  });

  it('F-33 in TypeScript fit the types of the packages', () => {
    const programs = RUNNING.flatMap((file) =>
      codeBlocks(read(file))
        .filter(({ language, mark }) => language === 'ts' && mark === 'run')
        .map(({ text, line }) => [`${file.replace(/\W/g, '-')}-${line}`, text] as const),
    );
    expect(programs.length).toBeGreaterThan(0);
    expect(typeErrors(new Map(programs))).toBe('');
  });
});

describe('an example that is wrong', () => {
  const block = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`;

  it.each([
    ['a command that does not exist', block('sh run', 'stoa sned lobby hello')],
    ['a failure in the middle of a block', block('sh run', 'false\ntrue')],
    ['a failure in a pipe', block('sh run', 'stoa channel show nowhere | cat')],
    ['other output than shown', block('sh run', 'echo one') + block('text output', 'two')],
    ['more output than shown', block('sh run', 'echo one; echo two') + block('text output', 'one')],
    ['a program that throws', block('ts run', "throw new Error('no')")],
    ['a configuration with an unknown field', block('yaml run', 'colour: blue')],
  ])('F-33 is noticed: %s', async (_, markdown) => {
    await expect(runDocument(markdown)).rejects.toThrow();
  });

  it('F-33 is noticed when a type is wrong', () => {
    const program =
      "import { createNodeClient } from '@stoa/client/node';\ncreateNodeClient({ url: 1 });";
    expect(typeErrors(new Map([['wrong', program]]))).toContain("'url' does not exist");
  });

  it('F-33 is noticed when it does not say whether it runs', () => {
    expect(markProblems(codeBlocks(block('sh', 'true')))).not.toEqual([]);
    expect(markProblems(codeBlocks(block('bash run', 'true')))).not.toEqual([]);
    expect(markProblems(codeBlocks(block('text output', 'true')))).not.toEqual([]);
    expect(markProblems(codeBlocks(block('sh run', 'true')))).toEqual([]);
  });
});

describe('the documentation', () => {
  it.each(DOCUMENTS)('has no link in %s that leads nowhere', (file) => {
    expect(brokenLinks(join(ROOT, file))).toEqual([]);
  });

  it.each(DOCUMENTS)('names in %s only files that exist', (file) => {
    const named = [
      ...read(file).matchAll(/`((?:packages|tests|scripts|bench|docs)\/[\w./-]*\w\/?)`/g),
    ]
      .map(([, path = '']) => path)
      .filter((path) => !path.includes('0002-'));
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('is listed whole in its index', () => {
    const index = read('docs/README.md');
    const pages = DOCUMENTS.filter(
      (file) => dirname(file) === 'docs' && !file.endsWith('README.md'),
    );
    expect(pages.filter((file) => !index.includes(`(${relative('docs', file)})`))).toEqual([]);
  });

  it('lists every route, and who may call it', () => {
    const who = { 1: 'owner', 2: 'people', 5: 'anyone' } as Record<number, string>;
    const expected = Object.values<Route>(ROUTES).map(
      ({ method, path, access, idempotent }) =>
        `${method} ${path}${idempotent ? ' ⚿' : ''} ${who[access.length] ?? '?'}`,
    );
    const listed = [...read('docs/http-api.md').matchAll(/^\| `([A-Z]+ \/\S*)`( ⚿)? +\| (\w+)/gm)];
    expect(listed.map(([, route, key = '', caller]) => `${route}${key} ${caller}`).sort()).toEqual(
      expected.sort(),
    );
  });

  it('lists every limit with its value', () => {
    const listed = [...read('docs/http-api.md').matchAll(/^\| `([a-zA-Z]+)` +\| ([\d,]+) /gm)];
    expect(
      Object.fromEntries(
        listed.map(([, name, value = '']) => [name, Number(value.replaceAll(',', ''))]),
      ),
    ).toEqual(LIMITS);
  });

  it('F-30 explains every error code, with its status', () => {
    const explained = [...read('docs/errors.md').matchAll(/^### `([a-z_]+)` · (\d+)\n\n\S/gm)];
    expect(Object.fromEntries(explained.map(([, code, status]) => [code, Number(status)]))).toEqual(
      Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
    );
  });

  it('lists every event and every frame', () => {
    const typesOf = (union: { options: { shape: { type: { value: string } } }[] }): string[] =>
      union.options.map(({ shape }) => shape.type.value).sort();
    const rows = (file: string, from: string, to: string): string[] => {
      const section = read(file).split(from)[1]?.split(to)[0] ?? '';
      return [...section.matchAll(/^\| `([a-z_]+)`/gm)].map(([, name = '']) => name).sort();
    };
    expect(rows('docs/channels.md', '## Events of a channel', '\n## ')).toEqual(
      typesOf(ChannelEvent),
    );
    expect(rows('docs/live.md', 'Events of a person', '\n## ')).toEqual(typesOf(HumanEvent));
    expect(rows('docs/live.md', '## WebSocket', '\n## ')).toEqual(typesOf(StreamFrame));
    for (const type of typesOf(StreamRequest)) {
      expect(read('docs/live.md')).toContain(`{"type": "${type}"`);
    }
  });

  it('lists every setting with its default', () => {
    const schema = JSON.parse(stoa(['config', 'schema'])) as JsonSchema;
    const rows = [
      ...read('docs/configuration.md').matchAll(/^\| `([\w.]+)` +\| (?:`(.*?)`)? +\|/gm),
    ];
    const inTable = rows.filter(([row]) => !row.includes('STOA_') && !row.includes('--'));
    expect(Object.fromEntries(inTable.map(([, name, value = '']) => [name, value]))).toEqual(
      Object.fromEntries(settingsIn(schema)),
    );
  });

  it('explains every variable of the environment', () => {
    const sources = ['packages/daemon/src', 'packages/cli/src'].flatMap((directory) =>
      readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
        .map((name) => read(join(directory, name))),
    );
    const used = new Set(sources.flatMap((text) => text.match(/STOA_[A-Z_]+/g) ?? []));
    const explained = new Set(read('docs/configuration.md').match(/STOA_[A-Z_]+/g));
    expect([...explained].sort()).toEqual([...used].sort());
  });

  it('has the current JSON Schema of the configuration', () => {
    // After a change: stoa config schema > docs/stoa.schema.json && npm run format
    expect(JSON.parse(read('docs/stoa.schema.json'))).toEqual(
      JSON.parse(stoa(['config', 'schema'])),
    );
  });

  it('lists every command and every option', () => {
    const { commands, options } = commandLine();
    const page = read('docs/cli.md');
    const listed = [...page.matchAll(/^(?:#+ |\| )`stoa ([a-z]+(?: [a-z]+)*)[^`]*`/gm)];
    expect([...new Set(listed.map(([, words]) => words))].sort()).toEqual([...commands].sort());
    expect([...new Set(page.match(/(?<![\w-])--[a-z-]+/g))].sort()).toEqual([...options].sort());
  });

  it('lists every metric of our own', async () => {
    const daemon = await startDaemon();
    try {
      const { text } = await call(daemon.url, 'GET', '/metrics', { token: daemon.token });
      const served = [...text.matchAll(/^# HELP (stoa_\w+)/gm)].map(([, name]) => name);
      const listed = [...read('docs/operations.md').matchAll(/^\| `(stoa_\w+)`/gm)];
      expect(listed.map(([, name]) => name).sort()).toEqual(served.sort());
    } finally {
      await daemon.cleanUp();
    }
  });
});
