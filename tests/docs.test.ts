import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  ERRORS,
  LIMITS,
  ROUTES,
  type Route,
  StreamFrame,
  StreamRequest,
  TOPICS,
} from '@stoa/protocol';
import { call, startDaemon, type TestDaemon } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks, markProblems } from './docs/code-blocks.js';
import { commandLine, stoa } from './docs/command-line.js';
import { DOCUMENTS, filesBelow, findings, pages, ROOT, read } from './docs/documents.js';
import { brokenLinks } from './docs/links.js';
import { runDocument } from './docs/run-document.js';
import { RUNNING } from './docs/running.js';
import { type JsonSchema, settingsIn } from './docs/settings.js';

describe('the examples in the documentation', () => {
  it.each(RUNNING)('F-33 run as shown in %s', async (file) => {
    const daemon = await startDaemon();
    try {
      await runDocument(read(file), daemon);
    } finally {
      await daemon.cleanUp();
    }
  });

  it('F-33 say whether they run', () => {
    expect(findings((markdown) => markProblems(codeBlocks(markdown)))).toEqual({});
  });
});

describe('an example that is wrong', () => {
  const block = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`;
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemon();
  });
  afterAll(() => daemon.cleanUp());

  it.each([
    ['a command that does not exist', block('sh run', 'stoa sned lobby hello')],
    ['a failure in the middle of a block', block('sh run', 'false\ntrue')],
    ['a failure in a pipe', block('sh run', 'stoa channel show nowhere | cat')],
    ['other output than shown', block('sh run', 'echo one') + block('text output', 'two')],
    ['more output than shown', block('sh run', 'echo 1; echo 2') + block('text output', '1')],
    ['a program that throws', block('ts run', "throw new Error('no')")],
    ['a configuration with an unknown field', block('yaml run', 'colour: blue')],
  ])('F-33 is noticed: %s', async (_, markdown) => {
    await expect(runDocument(markdown, daemon)).rejects.toThrow(/ended with|document shows/);
  });

  it('F-33 is noticed when it does not say whether it runs', () => {
    expect(markProblems(codeBlocks(block('sh', 'true')))).not.toEqual([]);
    expect(markProblems(codeBlocks(block('bash run', 'true')))).not.toEqual([]);
    expect(markProblems(codeBlocks(block('text output', 'true')))).not.toEqual([]);
    expect(markProblems(codeBlocks(block('sh run', 'true')))).toEqual([]);
  });
});

describe('the documentation', () => {
  it('has no link that leads nowhere', () => {
    expect(findings((_, file) => brokenLinks(join(ROOT, file)))).toEqual({});
  });

  it('names only files that exist', () => {
    const path = /`((?:packages|tests|scripts|bench|docs)\/[\w./-]*\w\/?)`/g;
    const named = (markdown: string): string[] =>
      [...markdown.matchAll(path)].map(([, file = '']) => file);
    expect(
      findings((markdown) => named(markdown).filter((file) => !existsSync(join(ROOT, file)))),
    ).toEqual({});
  });

  it('is listed whole: each page in the index, or with its noun in the glossary', () => {
    const listed = (file: string): boolean =>
      read('docs/README.md').includes(`(${relative('docs', file)})`) ||
      read('CONTEXT.md').includes(`(${file})`);
    const files = DOCUMENTS.filter((file) => dirname(file) === 'docs' && file !== 'docs/README.md');
    expect(files.filter((file) => !listed(file))).toEqual([]);
  });

  it('states every case that the title of a test names, and every case it states is in a title', () => {
    const tests = [...filesBelow('packages', '.test.ts'), ...filesBelow('tests', '.test.ts')];
    const titled = new Set(
      tests
        .filter((file) => !file.includes('node_modules'))
        .flatMap((file) => read(file).match(/(?<=['"`])(?:[A-Z]{1,2}-\d+(?: |(?=['"`])))+/g) ?? [])
        .flatMap((ids) => ids.trim().split(' ')),
    );
    const stated = new Set(
      filesBelow('docs/spec', '.md').flatMap(
        (file) => read(file).match(/(?<=^- \*\*)[A-Z]{1,2}-\d+(?=\*\*)/gm) ?? [],
      ),
    );
    expect(stated.size).toBeGreaterThan(0);
    expect([...titled].filter((id) => !stated.has(id))).toEqual([]);
    expect([...stated].filter((id) => !titled.has(id))).toEqual([]);
  });

  it('lists every route, and who may call it', () => {
    const who: Readonly<Record<number, string>> = {
      1: 'owner',
      2: 'people',
      3: 'sessions',
      5: 'anyone',
    };
    const expected = Object.values<Route>(ROUTES).map(
      ({ method, path, access, retry }) =>
        `${method} ${path}${retry === 'keyed' ? ' ⚿' : ''} ${who[access.length] ?? '?'}`,
    );
    const row = /^\| `([A-Z]+ \/\S*)`( ⚿)? +\| (\w+)/gm;
    const listed = [...pages().matchAll(row)].map(
      ([, route = '', key = '', caller = '']) => `${route}${key} ${caller}`,
    );
    expect(listed.sort()).toEqual(expected.sort());
  });

  it('lists every limit with its value', () => {
    const rows = read('docs/http-api.md').matchAll(/^\| `([a-zA-Z]+)` +\| ([\d,]+) /gm);
    const listed = [...rows].map(([, name, value = '']) => [name, Number(value.replace(/,/g, ''))]);
    expect(Object.fromEntries(listed)).toEqual(LIMITS);
  });

  it('F-30 explains every error code, with its status', () => {
    const sections = pages().matchAll(/^### `([a-z_]+)` · (\d+)\n\n\S/gm);
    const explained = [...sections].map(([, code, status]) => [code, Number(status)]);
    expect(Object.fromEntries(explained)).toEqual(
      Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
    );
  });

  it('lists every event and every frame', () => {
    const typesOf = (union: { options: { shape: { type: { value: string } } }[] }): string[] =>
      union.options.map(({ shape }) => shape.type.value).sort();
    const rowsIn = (file: string, heading: string): string[] =>
      [...section(file, heading).matchAll(/^\| `([a-z_]+)`/gm)].map(([, name = '']) => name).sort();
    const described: Readonly<Record<string, readonly [string, string]>> = {
      channel: ['docs/channels.md', '## Events of a channel'],
      human: ['docs/live.md', 'Events of a person'],
      memory: ['docs/memory.md', '## Events of a memory'],
      project: ['docs/projects.md', '## Events of a project'],
      session: ['docs/sessions.md', '## Events of a session'],
    };
    for (const { kind, events } of TOPICS) {
      const [file, heading] = described[kind] ?? [`docs/${kind}.md`, '## Events'];
      expect(rowsIn(file, heading)).toEqual(typesOf(events.unwrap()));
    }
    expect(rowsIn('docs/live.md', '## WebSocket')).toEqual(typesOf(StreamFrame));
    for (const type of typesOf(StreamRequest)) {
      expect(read('docs/live.md')).toContain(`{"type": "${type}"`);
    }
  });

  it('lists every setting with its default', () => {
    const schema = JSON.parse(stoa(['config', 'schema'])) as JsonSchema;
    const table = section('docs/configuration.md', '## `stoa.yaml`');
    const rows = table.matchAll(/^\| `([\w.]+)` +\| (?:`(.*?)`)? +\|/gm);
    expect(Object.fromEntries([...rows].map(([, name, value = '']) => [name, value]))).toEqual(
      Object.fromEntries(settingsIn(schema)),
    );
  });

  it('has the current JSON Schema of the configuration', () => {
    // After a change: stoa config schema > docs/stoa.schema.json && npm run format
    const current = JSON.parse(stoa(['config', 'schema'])) as unknown;
    expect(JSON.parse(read('docs/stoa.schema.json'))).toEqual(current);
  });

  it('explains every variable of the environment', () => {
    const sources = [
      ...filesBelow('packages/daemon/src', '.ts'),
      ...filesBelow('packages/cli/src', '.ts'),
    ]
      .filter((file) => !file.endsWith('.test.ts'))
      .map(read);
    const used = new Set(sources.flatMap((text) => text.match(/STOA_[A-Z_]+/g) ?? []));
    const explained = new Set(read('docs/configuration.md').match(/STOA_[A-Z_]+/g));
    expect([...explained].sort()).toEqual([...used].sort());
  });

  it('lists every command and every option', () => {
    const { commands, options } = commandLine();
    const listed = pages().matchAll(/^(?:#+ |\| )`stoa ([a-z]+(?: [a-z]+)*)[^`]*`/gm);
    expect([...new Set([...listed].map(([, words]) => words))].sort()).toEqual(commands);
    const optionsIn = (text: string) => new Set(text.match(/(?<![\w-])--[a-z][a-z-]*/g));
    const explained = optionsIn(pages());
    expect(options.filter((option) => !explained.has(option))).toEqual([]);
    const known = new Set(options);
    expect([...optionsIn(read('docs/cli.md'))].filter((option) => !known.has(option))).toEqual([]);
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

/** The text below a heading, or any other words, up to the next heading of the second level. */
function section(file: string, heading: string): string {
  return read(file).split(heading)[1]?.split('\n## ')[0] ?? '';
}
