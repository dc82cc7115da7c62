import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Caller,
  callerOf,
  LiveSocket,
  newPerson,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, type Outcome, stoa } from './stoa-command.js';
import { EDITS, TreeWithNoun } from './tree-with-noun.js';

interface Bookmark {
  readonly bookmarkId: string;
  readonly ownerId: string;
  readonly url: string;
  readonly title: string;
  readonly createdBy: string;
}
interface Page {
  readonly bookmarks: readonly Bookmark[];
  readonly nextBefore?: string;
}

const BUILD = "import('./scripts/bundle.mjs').then(({ bundlePrograms }) => bundlePrograms())";

describe('a noun that is one folder per package and eight lines elsewhere', () => {
  let tree: TreeWithNoun;
  let daemon: TestDaemon;
  let owner: Caller;
  let ada: Caller;

  beforeAll(async () => {
    tree = new TreeWithNoun();
    expect(tree.run('--eval', BUILD)).toBe('');
    daemon = await startDaemon({ program: tree.program });
    owner = callerOf(daemon.url, daemon.token);
    ada = await newPerson(daemon, 'ada');
  });

  afterAll(async () => {
    try {
      // Undefined if the program could not be built.
      await (daemon as TestDaemon | undefined)?.cleanUp();
    } finally {
      tree.remove();
    }
  });

  const command = (by: Caller, ...args: readonly string[]): Promise<Outcome> =>
    stoa(args, {
      program: tree.program,
      env: { STOA_HOME: daemon.home, STOA_URL: daemon.url, STOA_TOKEN: by.token },
    });
  const list = async (by: Caller, query = ''): Promise<Page> =>
    (await by.get<Page>(`/v1/bookmarks${query}`)).json;

  it('needs the edits that CONTRIBUTING.md lists, and no others', () => {
    const guide = readFileSync(join(import.meta.dirname, '../CONTRIBUTING.md'), 'utf8');
    const [, table = ''] =
      /### … a noun\n[^#]*?\n\| file [^\n]*\n((?:\|[^\n]*\n)+)/.exec(guide) ?? [];
    const rows = [...table.matchAll(/^\| `([^`]+)` \| (?:`(.+)`)?/gm)];
    expect(rows.map(([, file]) => file)).toEqual(EDITS.map(({ file }) => file));
    for (const [index, [, , line]] of rows.entries()) {
      if (line !== undefined) expect(EDITS[index]?.line).toBe(line);
    }
    expect(EDITS.length).toBeLessThanOrEqual(8);
    for (const { line } of EDITS) expect(line).not.toContain('\n');
  });

  it('has a page, which the glossary names', () => {
    const [, page = ''] = /^\| bookmark .*\((docs\/\w+\.md)\)/m.exec(tree.read('CONTEXT.md')) ?? [];
    const text = tree.read(page);
    for (const word of ['/v1/bookmarks', 'stoa bookmark add', 'bookmark_added']) {
      expect(text).toContain(word);
    }
  });

  it('has commands, with help and JSON', async () => {
    expect((await command(owner, '--help')).out).toMatch(/^ +bookmark +keep links/m);
    const added = await command(owner, 'bookmark', 'add', 'https://nodejs.org/api', 'Node', 'API');
    expect(added).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^bmk_\w{26}\n$/) as string,
    });
    const listed = await command(owner, 'bookmark', 'list');
    expect(listed.out).toMatch(/Node API +https:\/\/nodejs\.org\/api/);
    const { bookmarks } = await json<Page>(command(owner, 'bookmark', 'list', '--json'));
    expect(bookmarks).toMatchObject([{ title: 'Node API', createdBy: 'human:owner' }]);
    expect((await command(owner, 'bookmark', 'remove', added.out.trim())).code).toBe(0);
    expect((await list(owner)).bookmarks).toEqual([]);
    const again = await command(owner, 'bookmark', 'remove', added.out.trim());
    expect(again).toMatchObject({ code: 1 });
    expect(again.err).toContain('bookmark_not_found');
  });

  it('has routes with paging, idempotency keys and validation, which OpenAPI describes', async () => {
    for (const title of ['one', 'two', 'three']) {
      const options = { headers: { 'idempotency-key': title } };
      const body = { url: `https://example.org/${title}`, title };
      const first = await ada.post<Bookmark>('/v1/bookmarks', body, options);
      expect(first).toMatchObject({ status: 201, json: { title, ownerId: 'ada' } });
      const second = await ada.post<Bookmark>('/v1/bookmarks', body, options);
      expect(second.json).toEqual(first.json);
    }
    const page = await list(ada, '?limit=2');
    expect(page.bookmarks.map(({ title }) => title)).toEqual(['three', 'two']);
    const rest = await list(ada, `?limit=2&before=${page.nextBefore ?? ''}`);
    expect(rest.bookmarks.map(({ title }) => title)).toEqual(['one']);
    expect(rest.nextBefore).toBeUndefined();
    const wrong = await ada.post('/v1/bookmarks', { url: 'nowhere', title: 'x' });
    expect(wrong).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
    const { paths } = (await owner.get<{ paths: object }>('/v1/openapi.json')).json;
    expect(paths).toMatchObject({
      '/v1/bookmarks': { get: { operationId: 'listBookmarks' }, post: { tags: ['bookmarks'] } },
      '/v1/bookmarks/{bookmarkId}': { delete: { operationId: 'removeBookmark' } },
    });
  });

  it('refuses another person, and lets the owner of the daemon see all', async () => {
    const added = await owner.post<Bookmark>('/v1/bookmarks', { url: 'https://a.org', title: 'A' });
    const refused = { status: 403, json: { code: 'forbidden' } };
    expect(await ada.get('/v1/bookmarks?ownerId=owner')).toMatchObject(refused);
    expect(await ada.delete(`/v1/bookmarks/${added.json.bookmarkId}`)).toMatchObject(refused);
    expect(await ada.get('/v1/topics/bookmarks:owner/events')).toMatchObject(refused);
    expect((await list(owner, '?ownerId=ada')).bookmarks).toHaveLength(3);
  });

  it('delivers its events live', async () => {
    const socket = await LiveSocket.open(daemon.url, { token: ada.token });
    await socket.subscribe('bookmarks:ada');
    const body = { url: 'https://live.org', title: 'Live' };
    const { bookmarkId } = (await ada.post<Bookmark>('/v1/bookmarks', body)).json;
    await ada.delete(`/v1/bookmarks/${bookmarkId}`);
    const events = await until('both events', () => {
      const frames = socket.frames.filter(({ type }) => type === 'event');
      return frames.length === 2 ? frames : undefined;
    });
    expect(events).toMatchObject([
      { event: { type: 'bookmark_added', actor: 'human:ada', data: { bookmarkId, ...body } } },
      { event: { type: 'bookmark_removed', data: { bookmarkId } } },
    ]);
    await socket.close();
  });

  it('has a tool with which an agent acts for the person it works for', async () => {
    const call = `{ tool: bookmark, input: { url: 'https://found.org', title: Found } }`;
    const script = `otherwise: [{ call: ${call} }, { say: 'Done: \${result}' }]`;
    await owner.put('/v1/agents/finder', { driver: { kind: 'script', script }, mode: 'ask' });
    const ran = await command(owner, 'run', '--agent', 'finder', 'find something');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toMatch(/Done: Kept as bmk_\w{26}\./);
    const [found] = (await list(owner)).bookmarks;
    expect(found).toMatchObject({ title: 'Found', ownerId: 'owner' });
    expect(found?.createdBy).toMatch(/^session:ses_/);
  });

  it('is kept across a restart, and its table is a replay of its log', async () => {
    const before = await list(ada);
    await daemon.stop();
    daemon = await startDaemon({ program: tree.program, home: daemon.home });
    owner = callerOf(daemon.url, daemon.token);
    ada = callerOf(daemon.url, ada.token);
    expect(await list(ada)).toEqual(before);
    expect(before.bookmarks).toHaveLength(3);
    const checked = await command(owner, 'doctor', '--deep');
    expect(checked).toMatchObject({ code: 0 });
  });
});
