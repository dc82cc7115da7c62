import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqlite } from '../sqlite/binding/open.js';
import { matches, parseQuery } from './search-query.js';
import { tokensOf } from './search-tokens.js';
import { toFts5 } from './sqlite-documents.js';
import { prepareSearchFile } from './sqlite-search-file.js';

const exact = (...tokens: string[]) => ({ tokens, prefix: false });
const begun = (...tokens: string[]) => ({ tokens, prefix: true });

describe('a query', () => {
  it.each([
    ['kubectl', [begun('kubectl')]],
    ['kubectl ', [exact('kubectl')]],
    ['Kube Apply', [exact('kube'), begun('apply')]],
    ['kube-system pods', [exact('kube', 'system'), begun('pods')]],
    ['src/main.ts', [begun('src', 'main', 'ts')]],
    ['"rolling update" now', [exact('rolling', 'update'), begun('now')]],
    ['“rolling update”', [exact('rolling', 'update')]],
    ['"rolling upd', [begun('rolling', 'upd')]],
    ['部', [begun('部')]],
    ['部署', [exact('部署')]],
    ['部署成功', [exact('部署', '署成', '成功')]],
    ['用kubectl部署', [begun('用'), exact('kubectl'), exact('部署')]],
    ['"部署 kubectl"', [exact('部署', '署', 'kubectl')]],
    ['"kubectl 部署成"', [exact('kubectl', '部署', '署成')]],
    ['a AND NOT b*', [exact('a'), exact('and'), exact('not'), begun('b')]],
    ['', []],
    [' "" -- 🚀 * ( ) : ^', []],
  ])('%s', (text, terms) => {
    expect(parseQuery(text)).toEqual(terms);
  });

  it.each([
    ['kubectl', 'run KUBECTL now', true],
    ['kube', 'run kubectl now', true],
    ['kube ', 'run kubectl now', false],
    ['now run', 'run it now', true],
    ['"now run"', 'run it now', false],
    ['部', '已部署', true],
    ['署', '已部署', true],
    ['部署', '已部署完成', true],
    ['部署成功', '部署成功了', true],
    ['部署成功', '部署,署成,成功', false],
    ['kubectl部署', '部署用 kubectl', true],
    ['部署 missing', '部署', false],
    ['🚀', 'go 🚀', false],
  ])('%s against %s: %s', (query, text, expected) => {
    expect(matches(parseQuery(query), text)).toBe(expected);
  });

  it('is bounded, and finds more rather than less when it is cut', () => {
    const long = Array.from({ length: 500 }, (_, i) => `w${String(i)}`).join(' ');
    expect(parseQuery(long).flatMap((term) => term.tokens).length).toBeLessThanOrEqual(64);
    expect(parseQuery('部'.repeat(500)).flatMap((term) => term.tokens).length).toBe(64);
    expect(matches(parseQuery(long), long)).toBe(true);
  });
});

describe('a query in the language of FTS5', () => {
  const db = openSqlite(':memory:');
  prepareSearchFile(db);
  const put = db.prepare('INSERT INTO "texts" (rowid, "topic", "tokens") VALUES (?, ?, ?)');
  const clear = db.prepare(`INSERT INTO "texts" ("texts") VALUES ('delete-all')`);
  const find = db.prepare<[string], { id: number }>(
    'SELECT rowid AS "id" FROM "texts" WHERE "texts" MATCH ? ORDER BY rowid',
  );
  afterAll(() => db.close());

  const unit = fc.constantFrom(
    'a',
    'b',
    'ab',
    'A',
    '部',
    '署',
    '成',
    ' ',
    ' ',
    '"',
    '-',
    "'",
    '*',
    ':',
  );
  const mixed = fc.oneof(
    fc.string({ unit, maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );

  it('matches the same as the query, for any query and any texts', () => {
    fc.assert(
      fc.property(
        fc.array(mixed, { maxLength: 8 }),
        mixed,
        fc.boolean(),
        (texts, query, expands) => {
          clear.run();
          texts.forEach((text, i) => put.run(i, '#1', tokensOf(text).join(' ')));
          const known = [...new Set(texts.flatMap(tokensOf))];
          const expand = (prefix: string) =>
            expands ? known.filter((token) => token.startsWith(prefix)) : undefined;
          const terms = parseQuery(query);
          const expected = texts.flatMap((text, i) => (matches(terms, text) ? [i] : []));
          const found = terms.length === 0 ? [] : find.all(`tokens : (${toFts5(terms, expand)})`);
          expect(found.map(({ id }) => id)).toEqual(expected);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
