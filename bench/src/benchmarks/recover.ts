import type { Lease, Message } from '@stoa/protocol';
import type { Benchmark } from '../benchmark.js';
import { MESSAGE_TEXT } from '../load/message-text.js';
import { alternate, type Block } from '../measure/alternate.js';
import { figureOf } from '../measure/figure.js';
import { type Daemon, startDaemon } from '../world/daemon.js';
import { openDirectory } from '../world/directory.js';
import { prepareHistory } from '../world/prepared-history.js';
import { connectRedis, startRedis } from '../world/redis.js';
import type { Scope } from '../world/scope.js';

const ENTRIES = 100_000;
const LEASES = 50;
const CHANNEL = 'team';
const AT_ONCE = 1_000;
/** An agent that has the turn and takes its time. */
const SCRIPT = 'otherwise: [{ wait: 86400000 }]';

export const recover: Benchmark = {
  description: `a daemon killed with ${ENTRIES} messages and ${LEASES} leases, to its first new grant ÷ Redis loading as many entries`,
  async run(form, scope) {
    const extent =
      form === 'short'
        ? { pairs: 3, seconds: 4, warmUp: 1 }
        : { pairs: 25, seconds: 120, warmUp: 2 };
    const home = openDirectory(scope);
    await prepareHistory(scope, home, [ENTRIES]);
    await scope.within((inner) => giveTurns(inner, home));
    const directory = openDirectory(scope);
    await scope.within((inner) => fillRedis(inner, directory));
    const pairs = await alternate(untilGrant(scope, home), untilLoaded(scope, directory), extent);
    const part = `${ENTRIES} entries, ${LEASES} leases`;
    return [figureOf({ bench: 'recover', part, unit: 'ms', goal: '<=2' }, pairs)];
  },
};

/** Everybody has the turn in a thread of its own when the daemon is killed. */
async function giveTurns(scope: Scope, home: string): Promise<void> {
  const daemon = await startDaemon(scope, home);
  await ask(daemon, 'PUT', '/v1/agents/slow', { driver: { kind: 'script', script: SCRIPT } });
  const policy = {
    leaseTimeoutMs: 86_400_000,
    claimTimeoutMs: 86_400_000,
    silenceLimitMs: 86_400_000,
  };
  await ask(daemon, 'POST', '/v1/channels', {
    channelId: CHANNEL,
    title: CHANNEL,
    autonomyPolicy: policy,
  });
  for (let i = 0; i < LEASES; i++) {
    const { sessionId } = await ask<{ sessionId: string }>(daemon, 'POST', '/v1/sessions', {
      agentId: 'slow',
    });
    await ask(daemon, 'POST', `/v1/channels/${CHANNEL}/members`, {
      actorId: `session:${sessionId}`,
    });
  }
  for (let i = 0; i < LEASES; i++) await post(daemon);
  while ((await leases(daemon)).filter(({ phase }) => phase === 'running').length < LEASES) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  daemon.child.kill();
}

/** From its start to a new message that has been given to somebody, beside those who still have the turn. */
function untilGrant(scope: Scope, home: string): Block {
  return () =>
    scope.within(async (inner) => {
      const started = performance.now();
      const daemon = await startDaemon(inner, home);
      const { messageId } = await post(daemon);
      const live = await leases(daemon);
      const took = performance.now() - started;
      if (!live.some((lease) => lease.originMessageId === messageId) || live.length <= LEASES) {
        throw new Error('nobody was given the turn, or somebody lost it');
      }
      daemon.child.kill();
      return took;
    });
}

/** From its start to its first answer. */
function untilLoaded(scope: Scope, directory: string): Block {
  return () =>
    scope.within(async (inner) => {
      const started = performance.now();
      const redis = connectRedis(inner, await startRedis(inner, directory));
      const count = await redis.xlen(CHANNEL);
      const took = performance.now() - started;
      if (count !== ENTRIES) throw new Error(`Redis has ${count} entries`);
      return took;
    });
}

async function fillRedis(scope: Scope, directory: string): Promise<void> {
  const redis = connectRedis(scope, await startRedis(scope, directory));
  for (let written = 0; written < ENTRIES; written += AT_ONCE) {
    const batch = redis.pipeline();
    for (let i = 0; i < AT_ONCE; i++) batch.xadd(CHANNEL, '*', 'text', MESSAGE_TEXT);
    await batch.exec();
  }
}

const post = (daemon: Daemon): Promise<Message> =>
  ask(daemon, 'POST', `/v1/channels/${CHANNEL}/messages`, { text: MESSAGE_TEXT });

const leases = async (daemon: Daemon): Promise<Lease[]> =>
  (await ask<{ leases: Lease[] }>(daemon, 'GET', `/v1/channels/${CHANNEL}/leases?limit=200`))
    .leases;

async function ask<T>(daemon: Daemon, method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${daemon.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
