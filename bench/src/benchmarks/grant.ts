import type { DriverEnd, RunContext } from '@stoa/core';
import { openPostgresStore } from '@stoa/store';
import { freshDatabase, startEmbeddedPostgres } from '@stoa/testkit';
import { Logger, run as runWorker } from 'graphile-worker';
import type { Benchmark } from '../benchmark.js';
import { MESSAGE_TEXT } from '../load/message-text.js';
import { share } from '../load/share.js';
import { alternate, type Block, perSecond } from '../measure/alternate.js';
import { type Figure, figureOf } from '../measure/figure.js';
import { quantile } from '../measure/quartiles.js';
import { openStore } from '../world/domain.js';
import { OWNER } from '../world/held-runs.js';
import type { Scope } from '../world/scope.js';
import { openSpeakers } from '../world/speakers.js';

/** One at a time, for the time each takes; many at once, for how many are taken up in a second. */
const ONE_BY_ONE = 25;
const AT_ONCE = 32;
const EACH = 3;
const CHANNELS = 8;
const AGENTS_EACH = 4;

const QUIET = new Logger(() => () => undefined);

/** Brings something about; resolves when somebody has taken it up. */
type Bring = () => Promise<void>;

export const grant: Benchmark = {
  description:
    'a post to the run that answers it, taken up ÷ a job of graphile-worker, on PostgreSQL',
  async run(form, scope) {
    const extent =
      form === 'short'
        ? { pairs: 5, seconds: 2, warmUp: 1 }
        : { pairs: 100, seconds: 40, warmUp: 5 };
    const server = await startEmbeddedPostgres();
    scope.defer(() => server.stop());
    const worker = await openWorker(scope, (await freshDatabase(server.url)).url);
    const postgresUrl = (await freshDatabase(server.url)).url;
    const engines = {
      SQLite: await openGrants(scope, (home) => openStore(scope, home)),
      PostgreSQL: await openGrants(scope, async () => {
        const store = await openPostgresStore({ url: postgresUrl, durability: 'full' });
        scope.defer(() => store.close());
        return store;
      }),
    };
    const figures: Figure[] = [];
    for (const [engine, bring] of Object.entries(engines)) {
      const latencies = await alternate(medianTime(bring), medianTime(worker), extent);
      const label = { bench: 'grant' } as const;
      figures.push(
        figureOf({ ...label, part: `latency, ${engine}`, unit: 'ms', goal: '<=0.5' }, latencies),
      );
      const rates = await alternate(rate(bring), rate(worker), extent);
      figures.push(
        figureOf({ ...label, part: `rate, ${engine}`, unit: 'ops/s', goal: '>=3' }, rates),
      );
    }
    return figures;
  },
};

function medianTime(bring: Bring): Block {
  return async () => {
    const times = new Float64Array(ONE_BY_ONE);
    for (let i = 0; i < ONE_BY_ONE; i++) {
      const started = performance.now();
      await bring();
      times[i] = performance.now() - started;
    }
    times.sort();
    return quantile(times, 0.5);
  };
}

const rate = (bring: Bring): Block => perSecond(AT_ONCE * EACH, () => share(AT_ONCE, EACH, bring));

/** Posts of a person, each in a thread of its own, that one agent is given to answer. It says nothing. */
async function openGrants(
  scope: Scope,
  openStoreIn: Parameters<typeof openSpeakers>[1],
): Promise<Bring> {
  const expected = new Map<string, () => void>();
  const taken = new Set<string>();
  const speak = ({ origin }: RunContext): Promise<DriverEnd> => {
    const { messageId = '' } = origin;
    const resolve = expected.get(messageId);
    if (resolve) resolve();
    else taken.add(messageId);
    return Promise.resolve({ type: 'completed' });
  };
  const speakers = await openSpeakers(scope, openStoreIn, speak);
  const { core } = speakers;
  for (let i = 0; i < CHANNELS; i++) {
    await speakers.openChannel(`room-${i}`, AGENTS_EACH, { maxStartedRunsPerHumanMessage: 1 });
  }
  let posts = 0;
  return async () => {
    posts += 1;
    const channelId = `room-${posts % CHANNELS}`;
    const { messageId } = await core.channels.post(OWNER, channelId, { text: MESSAGE_TEXT });
    if (taken.delete(messageId)) return;
    await new Promise<void>((resolve) => expected.set(messageId, resolve));
    expected.delete(messageId);
  };
}

/** Jobs with as much in them, whose task does nothing. */
async function openWorker(scope: Scope, connectionString: string): Promise<Bring> {
  const expected = new Map<number, () => void>();
  const taken = new Set<number>();
  const runner = await runWorker({
    connectionString,
    concurrency: AT_ONCE,
    maxPoolSize: 10,
    noHandleSignals: true,
    logger: QUIET,
    taskList: {
      grant: (payload) => {
        const { id } = payload as { id: number };
        const resolve = expected.get(id);
        if (resolve) resolve();
        else taken.add(id);
      },
    },
  });
  scope.defer(() => runner.stop());
  let jobs = 0;
  return async () => {
    jobs += 1;
    const id = jobs;
    await runner.addJob('grant', { id, text: MESSAGE_TEXT });
    if (taken.delete(id)) return;
    await new Promise<void>((resolve) => expected.set(id, resolve));
    expected.delete(id);
  };
}
