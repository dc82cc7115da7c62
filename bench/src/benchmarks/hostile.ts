import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeModel, HOSTILE_TEXTS, type Reply, say, toolCall, useTools } from '@stoa/testkit';
import type { Benchmark } from '../benchmark.js';
import type { Pair } from '../measure/alternate.js';
import { figureOf } from '../measure/figure.js';
import { type Daemon, startDaemon } from '../world/daemon.js';
import { openDirectory } from '../world/directory.js';
import type { Scope } from '../world/scope.js';

/** What nobody who waits for a daemon notices. */
const GOAL_MS = 100;
const ROUNDS = { short: 1, long: 5 } as const;
/** Texts of each round; the long form goes through all of them. */
const TEXTS = { short: 40, long: HOSTILE_TEXTS.length } as const;
const MESSAGE_CHARS = 65_000;
const KEY = 'sk-of-the-benchmark';

interface Surfaces {
  readonly daemon: Daemon;
  readonly model: FakeModel;
  readonly workspace: string;
  readonly texts: readonly string[];
}

const PARTS: Readonly<Record<string, (surfaces: Surfaces) => Promise<void>>> = {
  'posts and searches': postAndSearch,
  'files that an agent reads': readFiles,
  'a search in a hostile checkout': searchCheckout,
};

export const hostile: Benchmark = {
  description: 'delay of the event loop with hostile text and files, p99 ÷ 100 ms',
  async run(form, scope) {
    const surfaces = await open(scope, TEXTS[form]);
    const figures = [];
    for (const [part, work] of Object.entries(PARTS)) {
      const pairs: Pair[] = [];
      for (let round = 0; round < ROUNDS[form]; round += 1) {
        await delayMs(surfaces.daemon);
        await work(surfaces);
        pairs.push({ ours: await delayMs(surfaces.daemon), peer: GOAL_MS });
      }
      figures.push(figureOf({ bench: 'hostile', part, unit: 'ms', goal: '<=1' }, pairs));
    }
    return figures;
  },
};

async function open(scope: Scope, count: number): Promise<Surfaces> {
  const model = await FakeModel.start({ key: KEY });
  scope.defer(() => model.close());
  const daemon = await startDaemon(scope, openDirectory(scope), {
    OPENAI_BASE_URL: model.openaiUrl,
    OPENAI_API_KEY: KEY,
    OPENAI_MODEL: 'fake-model',
  });
  const workspace = openDirectory(scope);
  const texts = HOSTILE_TEXTS.slice(0, count).map(({ ofLength }) =>
    ofLength(MESSAGE_CHARS).slice(0, MESSAGE_CHARS).toWellFormed().replaceAll('\0', ' '),
  );
  texts.forEach((text, index) => {
    writeFileSync(join(workspace, `${index}.txt`), text);
  });
  const checkout = join(workspace, 'checkout');
  mkdirSync(checkout);
  const rules = Array.from({ length: 60_000 }, (_, index) => `*a*a*a*a*a*a*b${index}`);
  writeFileSync(join(checkout, '.gitignore'), rules.join('\n'));
  for (let index = 0; index < 500; index += 1) {
    writeFileSync(join(checkout, `${'a'.repeat(200)}${index}.ts`), '');
  }
  await daemon.client.channels.create({ channelId: 'room', title: 'Room' });
  return { daemon, model, workspace, texts };
}

async function postAndSearch({ daemon, texts }: Surfaces): Promise<void> {
  for (const text of texts) {
    // What begins with a slash is a command, and may be refused.
    await daemon.client.messages.post('room', { text: `x${text}` });
    await request(daemon, `/v1/search?query=${encodeURIComponent(text.slice(0, 200))}`);
  }
}

const FILES_AT_ONCE = 10;

async function readFiles(surfaces: Surfaces): Promise<void> {
  for (let from = 0; from < surfaces.texts.length; from += FILES_AT_ONCE) {
    const paths = surfaces.texts
      .slice(from, from + FILES_AT_ONCE)
      .map((_, index) => `${from + index}.txt`);
    await runWith(
      surfaces,
      paths.map((path) => toolCall('read_file', { path })),
    );
  }
}

function searchCheckout(surfaces: Surfaces): Promise<void> {
  return runWith(surfaces, [toolCall('glob', { pattern: '**/*.ts', path: 'checkout' })]);
}

/** A session of its own, so that its prompts hold these results and no others. */
async function runWith(
  { daemon, model, workspace }: Surfaces,
  calls: readonly ReturnType<typeof toolCall>[],
): Promise<void> {
  const replies: Reply[] = [useTools([...calls]), say('read')];
  model.script(replies);
  const { client } = daemon;
  const { sessionId } = await client.sessions.create({ agentId: 'stoa', workspace, mode: 'plan' });
  const { runId } = await client.sessions.submit(sessionId, { text: 'Read this' });
  for (;;) {
    const { status } = await client.runs.get(runId);
    if (status === 'completed') return;
    if (status === 'failed' || status === 'cancelled') throw new Error(`the run ${status}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const POLL_MS = 20;

/** Since it was asked last. */
async function delayMs(daemon: Daemon): Promise<number> {
  const text = await request(daemon, '/metrics');
  const found = /^stoa_event_loop_delay_seconds\{quantile="0.99"\} (\S+)$/m.exec(text)?.[1];
  if (found === undefined) throw new Error('the daemon has no metric of its event loop');
  return Number(found) * 1_000;
}

async function request({ port, token }: Daemon, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  return answer.text();
}
