import { createHash } from 'node:crypto';
import { CALLER_CLASSES, type CallerClass, ROUTES, type Route } from '@stoa/protocol';
import {
  call,
  LiveSocket,
  newPerson,
  startDaemon,
  type TestDaemon,
  UpgradeRefused,
  withDatabaseFile,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const TABLE = Object.entries(ROUTES) as [keyof typeof ROUTES, Route][];

/** Ids that match the schemas and do not exist, so that no call changes the state for the next one. */
const PARAMS: Record<string, string> = {
  channelId: 'no-such-channel',
  messageId: `msg_${'0'.repeat(26)}`,
  memberId: 'nobody',
  assetId: `ast_${'0'.repeat(26)}`,
  credentialId: `crd_${'0'.repeat(26)}`,
  agentId: 'nobody',
  sessionId: `ses_${'0'.repeat(26)}`,
  runId: `run_${'0'.repeat(26)}`,
  itemId: `itm_${'0'.repeat(26)}`,
  approvalId: `apr_${'0'.repeat(26)}`,
  scheduleId: `sch_${'0'.repeat(26)}`,
  stimulusId: `stm_${'0'.repeat(26)}`,
  sourceId: `src_${'0'.repeat(26)}`,
  memoryId: `mem_${'0'.repeat(40)}`,
  noteId: `nte_${'0'.repeat(26)}`,
  name: 'deploy.md',
  projectId: 'no-such-project',
  taskId: `tsk_${'0'.repeat(26)}`,
  boardId: `brd_${'0'.repeat(26)}`,
  topic: 'channel:no-such-channel',
};

/** The table as this test expects it, so that a route that is opened wider by mistake is noticed. */
const OPEN_TO_ANYONE = [
  'channelPage',
  'channelSettingsPage',
  'grantAccess',
  'healthz',
  'home',
  'logIn',
  'login',
  'messagePage',
  'observe',
  'openapi',
  'proveDaemon',
  'readyz',
  'sessionPage',
  'settingsPage',
  'settingsSectionPage',
  'timelinePage',
  'usagePage',
  'webAsset',
];
const OWNER_ONLY = [
  'checkIntegrity',
  'createBackup',
  'deleteAgent',
  'listTokens',
  'metrics',
  'mintToken',
  'putAgent',
  'revokeToken',
];
/** What a session may do for itself with its own token. */
const SESSIONS_TOO = [
  'createBoard',
  'createSession',
  'deleteBoard',
  'getBoard',
  'getItem',
  'getProject',
  'getProjectTask',
  'getRun',
  'getSession',
  'getTask',
  'listBoards',
  'listInbox',
  'listProjectTasks',
  'listProjects',
  'listRuns',
  'listTasks',
  'mcp',
  'mcpStream',
  'postMessage',
  'readJournal',
  'readTaskOutput',
  'reviseBoard',
  'sendMailboxMessage',
  'stopTask',
  'updateProjectTask',
];

describe('the authorisation table', () => {
  let daemon: TestDaemon;
  const tokens: Partial<Record<CallerClass, string>> = {};

  beforeAll(async () => {
    const first = await startDaemon();
    tokens.human = (await newPerson(first, 'ada')).token;
    await first.stop();
    // Sessions and adapters have no way to be made yet; their rows of the table hold already.
    withDatabaseFile(first.home, (db) => {
      const insert = db.prepare(
        `INSERT INTO "credentials" ("credentialId", "kind", "name", "principalKind", "principalId", "hash", "createdAt")
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      );
      for (const kind of ['session', 'adapter'] as const) {
        const token = `stoa_test_${kind}_${'x'.repeat(40)}`;
        const hash = createHash('sha256').update(token).digest('hex');
        insert.run(`crd_${kind.padEnd(26, '0')}`, kind, kind, kind, `${kind}-1`, hash, Date.now());
        tokens[kind] = token;
      }
    });
    daemon = await startDaemon({ home: first.home });
    tokens.admin = daemon.token;
  });
  afterAll(async () => {
    await daemon.cleanUp();
  });

  function send(
    route: Route,
    caller: CallerClass,
  ): Promise<{ status: number; code?: unknown; detail?: unknown }> {
    const path = route.path.replace(/:([a-zA-Z]+)/g, (_, name: string) => PARAMS[name] ?? name);
    const token = tokens[caller];
    if (path === ROUTES.stream.path) return upgrade(token);
    const query = path === ROUTES.events.path ? '?topic=channel:no-such-channel' : '';
    return call(daemon.url, route.method, path + query, {
      ...(token === undefined ? {} : { token }),
      // Matches no schema: an allowed caller reaches the validation and no further.
      ...(route.body === undefined ? {} : { body: { unknownField: true } }),
    }).then(({ status, headers, text }) =>
      headers['content-type']?.includes('json') && text !== ''
        ? { ...(JSON.parse(text) as object), status }
        : { status },
    );
  }

  async function upgrade(token: string | undefined): Promise<{ status: number; code?: string }> {
    try {
      const socket = await LiveSocket.open(daemon.url, { token });
      await socket.close();
      return { status: 101 };
    } catch (error) {
      if (!(error instanceof UpgradeRefused)) throw error;
      return { status: error.status, code: error.code };
    }
  }

  it('F-22 has an entry for every route, and each says who may call it', () => {
    for (const [id, route] of TABLE) {
      expect(route.access.length, id).toBeGreaterThan(0);
      expect(route.access, id).toContain('admin');
      for (const caller of route.access) expect(CALLER_CLASSES).toContain(caller);
    }
    const named = (access: readonly CallerClass[]) =>
      TABLE.filter(([, route]) => route.access.join() === access.join())
        .map(([id]) => id)
        .sort();
    expect(named(CALLER_CLASSES)).toEqual(OPEN_TO_ANYONE);
    expect(named(['admin'])).toEqual(OWNER_ONLY);
    expect(named(['human', 'admin', 'session'])).toEqual(SESSIONS_TOO);
    const listed = [...OPEN_TO_ANYONE, ...OWNER_ONLY, ...SESSIONS_TOO];
    const rest = TABLE.filter(([id]) => !listed.includes(id));
    for (const [id, { access }] of rest) expect(access, id).toEqual(['human', 'admin']);
  });

  it.each(TABLE)('F-22 is what %s goes by, for every kind of caller', async (_, route) => {
    for (const caller of CALLER_CLASSES) {
      const { status, code, detail } = await send(route, caller);
      if (!route.access.includes(caller)) {
        const denied = caller === 'anonymous' ? [401, 'unauthenticated'] : [403, 'forbidden'];
        expect([status, code], caller).toEqual(denied);
      } else {
        // An open route may still refuse for its own reasons: a wrong code, a credential of another kind.
        expect(code, caller).not.toBe('unauthenticated');
        expect(String(detail), caller).not.toContain('may not call this route');
        expect([200, 101, 201, 400, 401, 403, 404, 405, 415], caller).toContain(status);
        if (status === 401) expect(code).toBe('login_code_invalid');
      }
    }
  });

  it.each(['/v1/channels', '/v1/assets', '/v1/nowhere', '/nowhere'])(
    'F-22 is asked before the body is read: nobody unknown makes the daemon parse (%s)',
    async (path) => {
      for (const raw of ['{ this is not JSON', Buffer.alloc(257 * 1024, 32)]) {
        for (const type of ['application/json', 'text/plain']) {
          const headers = { 'content-type': type };
          const { status, json } = await call(daemon.url, 'POST', path, { raw, headers });
          expect(status).toBe(401);
          expect(json).toMatchObject({ code: 'unauthenticated' });
        }
      }
    },
  );

  it('F-22 knows no other way in: other methods and spellings of a path do not exist', async () => {
    const { token } = daemon;
    const elsewhere = [
      ['HEAD', '/v1/channels'],
      ['TRACE', '/v1/channels'],
      ['PUT', '/v1/tokens'],
      ['GET', '/V1/channels'],
      ['GET', '//v1/channels'],
      ['GET', '/v1/./channels'],
      ['GET', '/v1%2Fchannels'],
      ['GET', '/v2/channels'],
    ] as const;
    for (const [method, path] of elsewhere) {
      expect((await call(daemon.url, method, path)).status, `${method} ${path}`).toBe(401);
      expect((await call(daemon.url, method, path, { token })).status, `${method} ${path}`).toBe(
        404,
      );
    }
  });
});
