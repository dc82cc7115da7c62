import { isDeepStrictEqual } from 'node:util';
import { StoaError } from '@stoa/protocol';
import { type Call, newCall, type Outcome, onBehalf } from './call.js';
import { violated } from './failure.js';
import { describe, type Request } from './operation.js';
import { perform } from './perform.js';
import type { SimDaemon } from './sim-daemon.js';
import { SimulatedCrash } from './virtual-disk.js';
import type { Response, World } from './world.js';

/** A client sends a request, for the first time or again. */
export function send(world: World, request: Request): void {
  world.ledger.sent(request);
  world.network.push(request);
  if (request.key !== undefined) world.sentWithKey.push(request);
}

/** A request reaches a daemon, which begins to work on it. */
export function arrive(
  world: World,
  request: Request,
  daemon: SimDaemon,
  poison: number | undefined,
): void {
  const call = newCall(request, poison);
  world.calls.set(call, daemon);
  const serving = onBehalf.run(call, () => serve(call, daemon));
  serving.then(
    (outcome) => {
      if (daemon.isAlive) answer(world, daemon, call, outcome);
    },
    (error: unknown) => {
      if (daemon.isAlive) world.fail('serving a request failed', { error });
    },
  );
}

async function serve(call: Call, { core }: SimDaemon): Promise<Outcome> {
  const { secret, operation, key } = call.request;
  try {
    const principal = await core.credentials.authenticate({ as: 'token', secret });
    if (!isDeepStrictEqual(principal, call.admitted)) {
      violated(`${describe(call.request)} was taken for somebody else`, { principal, call });
    }
    if (principal?.kind !== 'human') throw new StoaError('unauthenticated');
    call.by = principal;
    call.stage = 'performing';
    const answer = plain(await perform(core, principal, operation, key));
    return { kind: 'answer', answer };
  } catch (error) {
    if (error instanceof StoaError) return { kind: 'refusal', code: error.code };
    if (error instanceof SimulatedCrash) return await new Promise<never>(() => undefined);
    return { kind: 'defect', error };
  } finally {
    call.stage = 'over';
  }
}

/** As a client gets it, which is as JSON. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

function answer(world: World, from: SimDaemon, call: Call, outcome: Outcome): void {
  world.calls.delete(call);
  world.responses.push({ from, call, outcome });
  world.saw(call.isReplay && outcome.kind === 'answer' ? 'replayed answer' : nameOf(outcome));
  if (outcome.kind === 'answer') for (const id of call.assetIds) world.acknowledgedAssets.add(id);
  try {
    world.judge.outcome(call, outcome);
  } catch (error) {
    world.fail(error instanceof Error ? error.message : String(error));
  }
}

const nameOf = (outcome: Outcome): string =>
  outcome.kind === 'refusal' ? `refusal ${outcome.code}` : outcome.kind;

/** A client receives the outcome of its request. */
export function deliver(world: World, { call, outcome }: Response): void {
  const { request } = call;
  world.ledger.answered(request, outcome);
  if (outcome.kind !== 'answer' || request.operation.kind !== 'mint') return;
  const { token, credential } = outcome.answer as {
    token: string;
    credential: { humanId: string };
  };
  if (!world.tokens.has(credential.humanId)) world.tokens.set(credential.humanId, token);
}

/** A client never receives an answer. With a key it may repeat the request; otherwise it gives up. */
export function lose(world: World, request: Request): void {
  if (request.key !== undefined) send(world, request);
}
