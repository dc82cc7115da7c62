import {
  ChannelLog,
  type LoggedMessage,
  SEARCH_ENGINES,
  type SearchDatabase,
  type TestedSearchIndex,
} from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SearchRequest } from './search-index.js';
import { matches, parseQuery } from './search-query.js';

describe.each(SEARCH_ENGINES)('the search index on $name', (engine) => {
  let database: SearchDatabase;
  let index: TestedSearchIndex;
  let log: ChannelLog;

  beforeEach(async () => {
    database = await engine.newDatabase();
    index = await database.open();
    log = await ChannelLog.create(database.store, 'ops');
  });
  afterEach(async () => {
    await index.close();
    await database.discard();
  });

  const post = async (at: number, text: string): Promise<LoggedMessage> =>
    (await log.post(at, text))[0] as LoggedMessage;

  const find = async (text: string, request: Partial<SearchRequest> = {}): Promise<number[]> =>
    (await index.search({ text, limit: 20, ...request })).map(({ seq }) => seq);

  /** Before anything new is indexed, at some moment on the way, after, and when opened again. */
  async function always(check: () => Promise<void>, ...others: ChannelLog[]): Promise<void> {
    for (const { topicId } of [log, ...others]) index.hint(topicId);
    await check();
    index.step?.();
    await check();
    await index.settled();
    await check();
    await index.close();
    index = await database.open();
    await check();
  }

  it('finds kubectl and 部署, with their position', async () => {
    const english = await post(10, 'Run kubectl apply -f deploy.yaml');
    const chinese = await post(20, '已经部署成功');
    const mixed = await post(30, '请用kubectl重新部署');
    await post(40, 'nothing of the kind, 没有');
    await always(async () => {
      expect(await index.search({ text: 'kubectl', limit: 20 })).toEqual([
        { topicId: log.topicId, seq: mixed.seq },
        { topicId: log.topicId, seq: english.seq },
      ]);
      expect(await find('部署')).toEqual([mixed.seq, chinese.seq]);
      expect(await find('部')).toEqual([mixed.seq, chinese.seq]);
      expect(await find('署')).toEqual([mixed.seq, chinese.seq]);
      expect(await find('部署成功')).toEqual([chinese.seq]);
      expect(await find('署部')).toEqual([]);
      expect(await find('kubectl部署')).toEqual([mixed.seq]);
      expect(await find('部署 KUBE')).toEqual([mixed.seq]);
      expect(await find('"kubectl apply"')).toEqual([english.seq]);
      expect(await find('"apply kubectl"')).toEqual([]);
      expect(await find('kub ')).toEqual([]);
    });
  });

  it('returns the requested number, newest first, in one channel or in all', async () => {
    const other = await ChannelLog.create(database.store, 'other');
    for (let at = 10; at < 40; at++) {
      await (at % 3 === 0 ? other : log).post(at, `word n${String(at)}`);
    }
    await log.post(50, 'word same', 'word same');
    await other.post(50, 'word same');
    await always(async () => {
      const all = await index.search({ text: 'word', limit: 100 });
      expect(all).toHaveLength(33);
      expect(await index.search({ text: 'word', limit: 7 })).toEqual(all.slice(0, 7));
      expect(await index.search({ text: 'same', limit: 2 })).toEqual(all.slice(0, 2));
      const own = all.filter(({ topicId }) => topicId === other.topicId);
      expect(own).toHaveLength(11);
      expect(own.map(({ seq }) => seq)).toEqual(own.map(({ seq }) => seq).sort((a, b) => b - a));
      expect(await index.search({ text: 'wor', limit: 100, topicId: other.topicId })).toEqual(own);
      expect(await index.search({ text: 'word', limit: 0 })).toEqual([]);
      expect(await index.search({ text: 'word', limit: 10, topicId: 999 })).toEqual([]);
    }, other);
  });

  it('finds a message by its current text, at its original position', async () => {
    const first = await post(10, 'alpha');
    await index.settled();
    const second = await post(20, 'alpha');
    await log.edit(30, first.messageId, 'beta');
    await always(async () => {
      expect(await find('alpha')).toEqual([second.seq]);
      expect(await find('beta')).toEqual([first.seq]);
    });
    await log.edit(40, second.messageId, 'beta');
    await log.edit(50, first.messageId, 'gamma');
    await log.edit(60, first.messageId, 'beta gamma');
    await always(async () => {
      expect(await find('alpha')).toEqual([]);
      expect(await find('beta')).toEqual([second.seq, first.seq]);
      expect(await find('gamma')).toEqual([first.seq]);
    });
  });

  it('forgets the first text of a message that was changed much later', async () => {
    const edited = await post(10, 'alpha');
    const deleted = await post(10, 'alpha');
    await log.post(20, ...Array.from({ length: 600 }, () => 'filling'));
    await log.edit(30, edited.messageId, 'beta');
    await log.delete(30, deleted.messageId);
    await always(async () => {
      expect(await find('alpha')).toEqual([]);
      expect(await find('beta')).toEqual([edited.seq]);
      expect(await find('filling', { limit: 1_000 })).toHaveLength(600);
    });
  });

  it('does not find what was deleted', async () => {
    const indexed = await post(10, 'alpha');
    await index.settled();
    const edited = await post(20, 'alpha');
    await log.edit(30, edited.messageId, 'alpha again');
    await log.delete(40, indexed.messageId);
    await log.delete(50, edited.messageId);
    const kept = await post(60, 'alpha');
    await always(async () => expect(await find('alpha')).toEqual([kept.seq]));
  });

  it('drops a channel that was deleted, indexed or not', async () => {
    const other = await ChannelLog.create(database.store, 'other');
    const unindexed = await ChannelLog.create(database.store, 'unindexed');
    const [kept] = await other.post(10, 'alpha');
    await log.post(20, ...Array.from({ length: 10 }, () => 'alpha'));
    await index.settled();
    await unindexed.post(30, 'alpha');
    await unindexed.erase(40);
    await log.erase(40);
    await always(async () => {
      expect(await index.search({ text: 'alpha', limit: 20 })).toEqual([
        { topicId: other.topicId, seq: kept?.seq },
      ]);
      expect(await find('alpha', { topicId: log.topicId })).toEqual([]);
    }, unindexed);
  });

  it('indexes posts without hints before it is settled', async () => {
    const { seq } = await post(10, 'alpha');
    await index.settled();
    expect(await find('alpha')).toEqual([seq]);
    await log.erase(20);
    await index.settled();
    expect(await find('alpha')).toEqual([]);
  });

  it('accepts any text as a query', async () => {
    const text = `it's a "quoted" back\\slash & | ! <-> :* (x) NEAR AND OR NOT ^ { } + - %`;
    await post(10, text);
    const queries = [
      '"',
      "'",
      `'"`,
      '\\',
      '&',
      'a:*',
      'NEAR(',
      'AND',
      'OR OR',
      '-x',
      '{t} : x',
      '*',
    ];
    queries.push(
      '\0',
      '\uD800',
      `"${"'".repeat(50)}`,
      "x' & 'y",
      'a\0b',
      '%',
      ' ',
      '',
      '"back slash"',
    );
    await always(async () => {
      for (const query of queries) {
        const expected = matches(parseQuery(query), text) ? 1 : 0;
        expect(await find(query), JSON.stringify(query)).toHaveLength(expected);
      }
    });
  });

  it('finds a word among more words with the same prefix than the query can list', async () => {
    await log.post(10, ...Array.from({ length: 450 }, (_, i) => `say prefix${String(i)}`));
    await always(async () => {
      expect(await find('prefix', { limit: 1_000 })).toHaveLength(450);
      expect(await find('"say prefix4', { limit: 1_000 })).toHaveLength(1 + 10 + 50);
      expect(await find('prefix44', { limit: 1_000 })).toHaveLength(11);
    });
  });

  it('stores one very large message', async () => {
    const text = Array.from({ length: 60_000 }, (_, i) => `word${String(i)}`).join(' ');
    const { seq } = await post(10, text);
    await always(async () => {
      expect(await find('word0 word12345 ')).toEqual([seq]);
      expect(await find('"word100 word101"')).toEqual([seq]);
    });
  });

  it('may be closed twice, and ignores hints after that', async () => {
    await index.close();
    await index.close();
    index.hint(log.topicId);
  });
});
