// `node scripts/make-schema-fixture.mjs`: keeps a small data directory as this program writes it, in
// tests/fixtures/schema-<version>/, so that later versions are tested against real data of this one; and
// the same for PostgreSQL in its folder postgres/, where the database is kept as SQL.
// To be run once, before a schema is released; a fixture of a released schema is never made again. One
// that exists is replaced only with --force, while its schema is not released yet.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { bundlePrograms } from './bundle.mjs';
import { dumpPostgres } from './dump-postgres.mjs';
import { root } from './root.mjs';

const largestBytes = 640 * 1024;
const target = path.join(root, 'tests/fixtures', `schema-${newestSchema()}`);

if (fs.existsSync(target) && !process.argv.includes('--force')) {
  console.error(`${path.relative(root, target)} exists: it is replaced only with --force`);
  process.exit(1);
}

await bundlePrograms();
fs.rmSync(target, { recursive: true, force: true });
await make(target, {}, keepBackup);
const server = await startPostgres();
try {
  await make(path.join(target, 'postgres'), { STOA_DATABASE_URL: server.url }, keepSql);
} finally {
  await server.stop();
}

async function make(directory, env, keepData) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-fixture-'));
  // People other than the owner have sessions here too.
  const shared = [{ path: os.tmpdir(), shared: true }];
  fs.writeFileSync(path.join(home, 'stoa.yaml'), JSON.stringify({ workspaces: shared }));
  try {
    const daemon = await start(home, env);
    try {
      const token = await fill(daemon);
      const expected = { token, answers: await answersTo(token, daemon) };
      const { schemaVersion } = await daemon.call('GET', '/v1/status');
      if (schemaVersion !== newestSchema()) throw new Error(`the daemon is at ${schemaVersion}`);
      const bytes = await keepData(daemon, directory);
      const answers = path.join(directory, 'answers.json');
      fs.writeFileSync(answers, `${JSON.stringify(expected, null, 2)}\n`);
      if (bytes > largestBytes) {
        throw new Error(`the fixture has ${bytes} bytes; keep it under ${largestBytes}`);
      }
      console.log(`Wrote ${path.relative(root, directory)} (${bytes} bytes)`);
    } finally {
      await daemon.stop();
    }
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

/** The server of the tests, bundled beside what is built of its package. */
async function startPostgres() {
  const outfile = path.join(root, 'packages/testkit/dist/embedded-postgres.mjs');
  await esbuild.build({
    entryPoints: [path.join(root, 'packages/testkit/src/postgres/embedded-postgres.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  await esbuild.stop();
  const { startEmbeddedPostgres } = await import(pathToFileURL(outfile).href);
  return startEmbeddedPostgres();
}

function newestSchema() {
  const files = fs.readdirSync(path.join(root, 'packages/store/src/schema'));
  return Math.max(...files.map((name) => Number(/^(\d{4})-/.exec(name)?.[1] ?? 0)));
}

async function start(directory, env) {
  const child = spawn(process.execPath, [path.join(root, 'packages/cli/dist/stoa.js'), 'serve'], {
    env: { ...process.env, STOA_HOME: directory, STOA_PORT: '0', STOA_LOBBY: 'off', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const ready = /Stoa is ready at (\S+)\n/.exec(text);
      if (ready) resolve(ready[1]);
    });
    exited.then((code) => reject(new Error(`the daemon ended with ${code}`)));
  });
  const owner = fs.readFileSync(path.join(directory, 'token'), 'utf8').trim();
  return {
    home: directory,
    async call(method, route, body, token = owner) {
      const isBytes = body instanceof Uint8Array;
      const response = await globalThis.fetch(url + route, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined || isBytes ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${route}: ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** A little of everything that is stored. Returns the token of somebody who is still there. */
async function fill({ call }) {
  const ada = (
    await call('POST', '/v1/tokens', { humanId: 'ada', displayName: 'Ada', name: 'laptop' })
  ).token;
  const lost = await call('POST', '/v1/tokens', { humanId: 'ada', name: 'lost phone' });
  await call('DELETE', `/v1/tokens/${lost.credential.credentialId}`);
  await call('POST', '/v1/login-codes');

  await call('POST', '/v1/channels', {
    channelId: 'lobby',
    title: 'Lobby 大厅',
    description: 'Where everybody is',
    purpose: 'To talk',
    metadata: { colour: 'blue', order: [1, 2, { nested: null }] },
  });
  await call('POST', '/v1/channels/lobby/members', { displayName: 'Countess', role: 'guest' }, ada);
  const asset = await call('POST', '/v1/assets?name=plan.txt', Buffer.from('the plan\n'));
  const root = await call('POST', '/v1/channels/lobby/messages', {
    inputItems: [
      { type: 'text', text: 'kubectl rollout 部署 😀' },
      { type: 'asset_reference', assetId: asset.assetId },
    ],
    addressedMemberIds: ['ada'],
    metadata: { source: 'fixture' },
  });
  const reply = await call(
    'POST',
    '/v1/channels/lobby/messages',
    { text: 'on it', replyToMessageId: root.messageId },
    ada,
  );
  await call(
    'POST',
    `/v1/channels/lobby/messages/${root.messageId}/reactions`,
    { emoji: '👍' },
    ada,
  );
  await call('POST', `/v1/channels/lobby/messages/${reply.messageId}/reactions`, { emoji: '🎉' });
  await call('PATCH', `/v1/channels/lobby/messages/${reply.messageId}`, { text: 'done' }, ada);
  const regretted = await call('POST', '/v1/channels/lobby/messages', { text: 'never said' }, ada);
  await call('DELETE', `/v1/channels/lobby/messages/${regretted.messageId}`, undefined, ada);
  await call('PUT', `/v1/channels/lobby/pins/${asset.assetId}`);
  await call('PUT', '/v1/channels/lobby/cursor', { readSeq: 4 }, ada);

  await call('PUT', '/v1/agents/helper', {
    driver: { kind: 'script', script: 'turns: [{ steps: [{ say: Hello }] }]' },
  });
  const session = await call('POST', '/v1/sessions', {
    agentId: 'helper',
    workspace: os.tmpdir(),
  });
  const inbox = `/v1/sessions/${session.sessionId}/inbox`;
  const item = await call('POST', inbox, { text: 'say something' });
  while ((await call('GET', `/v1/runs/${item.runId}`)).status !== 'completed');

  await call('PATCH', '/v1/channels/lobby', {
    autonomyPolicy: { maxAgentRepliesPerHumanMessage: 2 },
    defaultParticipationMode: 'prefer_selected',
  });
  await call('PUT', '/v1/agents/speaker', {
    driver: { kind: 'script', script: 'otherwise: [{ emit: Hello }]' },
  });
  const speaker = await call('POST', '/v1/sessions', {
    agentId: 'speaker',
    workspace: os.tmpdir(),
  });
  await call('POST', '/v1/channels/lobby/members', {
    actorId: `session:${speaker.sessionId}`,
    role: 'greeter',
    expertiseTags: ['greetings'],
  });
  const asked = await call('POST', '/v1/channels/lobby/messages', { text: '@speaker hello' });
  const decisions = `/v1/channels/lobby/threads/${asked.messageId}/decisions`;
  while ((await call('GET', decisions)).decisions[0].turn.outcome === undefined);

  await call('PATCH', '/v1/channels/lobby', {
    identity: { displayName: 'Host' },
    memoryScope: { namespace: 'the lobby', mode: 'isolated' },
  });
  await call('PUT', '/v1/agents/keeper', {
    driver: {
      kind: 'script',
      script:
        'otherwise: [{ call: { tool: remember, input: { text: It rains } } }, { emit: Kept }]',
    },
  });
  const keeper = await call('POST', '/v1/sessions', { agentId: 'keeper', workspace: os.tmpdir() });
  await call('POST', '/v1/channels/lobby/members', { actorId: `session:${keeper.sessionId}` });
  const kept = await call('POST', '/v1/channels/lobby/messages', { text: '@keeper remember' });
  const keeping = `/v1/channels/lobby/threads/${kept.messageId}/decisions`;
  while ((await call('GET', keeping)).decisions[0].turn.outcome === undefined);
  await call('POST', '/v1/channels/lobby/messages', { text: '/status' });
  await call('POST', '/v1/projects', {
    projectId: 'site',
    displayName: 'Site 网站',
    metadata: { colour: 'red' },
  });
  await call('POST', '/v1/projects/site/members', {
    actorId: `session:${session.sessionId}`,
    role: 'builder',
  });
  const link = { mirrorMembers: true, defaultForNewTasks: true };
  await call('PUT', '/v1/projects/site/channels/lobby', link);
  const tasks = '/v1/projects/site/tasks';
  const first = await call('POST', tasks, { title: 'Draw it', assigneeMemberId: 'owner' });
  await call('POST', tasks, { title: 'Build it', blockedBy: [first.taskId] });
  await call('POST', `${tasks}/${first.taskId}/start`, {});
  const boards = `/v1/sessions/${session.sessionId}/boards`;
  const board = await call('POST', boards, { title: 'Plan', text: 'A door' });
  await call('POST', `${boards}/${board.boardId}/revisions`, { text: 'A window' });
  await call('POST', '/v1/observation-sources', {
    channelId: 'lobby',
    title: 'Disk 磁盘',
    template: '{{host}}: {{message}}',
    enabled: false,
  });

  await call('PUT', '/v1/agents/boss', {
    driver: {
      kind: 'script',
      script:
        'turns: [{ steps: [{ call: { tool: agent, input: { description: Greet 问候, prompt: Greet, agent: helper } } }, { say: Done }] }]',
    },
  });
  const boss = await call('POST', '/v1/sessions', { agentId: 'boss', workspace: os.tmpdir() }, ada);
  await call('POST', `/v1/sessions/${boss.sessionId}/inbox`, { text: 'have it done' }, ada);
  while ((await call('GET', '/v1/tasks', undefined, ada)).tasks[0]?.status !== 'completed');
  while ((await call('GET', `/v1/sessions/${boss.sessionId}`, undefined, ada)).status !== 'idle');

  await call('POST', '/v1/channels', { channelId: 'closed', title: 'Closed' });
  await call('POST', '/v1/channels/closed/archive');
  await call('POST', '/v1/channels', { channelId: 'gone', title: 'Gone' });
  await call('DELETE', '/v1/channels/gone');
  return ada;
}

/** What this program says about its data; later ones must say the same. */
async function answersTo(token, { call }) {
  const routes = [
    '/v1/channels?archived=include',
    '/v1/channels/lobby/members',
    '/v1/channels/lobby/messages',
    '/v1/channels/lobby/leases?state=all',
    '/v1/observation-sources?channelId=lobby',
    '/v1/projects',
    '/v1/projects/site',
    '/v1/projects/site/tasks',
    '/v1/topics/project:site/events?limit=200',
    '/v1/whoami',
    '/v1/channels/lobby/cursor',
    '/v1/topics/channel:lobby/events?limit=200',
    '/v1/topics/human:ada/events?limit=200',
    '/v1/unread',
    '/v1/search?query=kubectl',
    '/v1/tasks',
  ];
  const expected = {};
  for (const route of routes) expected[route] = await call('GET', route, undefined, token);
  for (const { assetId } of expected['/v1/channels/lobby/messages'].messages[0].inputItems) {
    if (assetId) expected[`/v1/assets/${assetId}`] = await call('GET', `/v1/assets/${assetId}`);
  }
  for (const { messageId, threadRootMessageId, replyCount } of expected[
    '/v1/channels/lobby/messages'
  ].messages) {
    if (threadRootMessageId || replyCount === 0) continue;
    const route = `/v1/channels/lobby/threads/${messageId}/decisions`;
    expected[route] = await call('GET', route, undefined, token);
  }
  return expected;
}

/** A backup is a data directory without the token of the owner. */
async function keepBackup({ call }, directory) {
  await call('POST', '/v1/backups', { directory });
  return fs.statSync(path.join(directory, 'stoa.db')).size;
}

/** Without the search index, which every program makes for itself. */
async function keepSql({ home }, directory) {
  const sql = await dumpPostgres(server.url, { leaveOut: ['search'] });
  fs.mkdirSync(directory, { recursive: true });
  fs.writeFileSync(path.join(directory, 'stoa.sql'), sql);
  fs.cpSync(path.join(home, 'assets'), path.join(directory, 'assets'), { recursive: true });
  return Buffer.byteLength(sql);
}
