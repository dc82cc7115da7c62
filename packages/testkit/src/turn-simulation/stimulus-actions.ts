import type { CreateStimulus } from '@stoa/protocol';
import { OWNER } from '../runtime/runtime-world.js';
import { CHANNEL, type TurnWorld } from './turn-world.js';

const KINDS = [
  'agent_idea',
  'task_completed',
  'review_completed',
  'observation_materialized',
  'result_summary',
  'supersession_notice',
] as const;

export function stimulusOfPeople(world: TurnWorld): string {
  const request = anyStimulus(world, world.random.pick(KINDS));
  const key = world.random.chance(0.2) ? `s${String(world.random.below(4))}` : undefined;
  // A key that was used for something else is refused; the same again is answered as before.
  world.call(world.core.stimuli.create(OWNER, CHANNEL, request, key));
  return describe(request);
}

export function stimulusOfSession(world: TurnWorld): string {
  const id = world.random.pick([...world.sessions.values()]);
  const kind = world.random.chance(0.7) ? 'agent_idea' : 'result_summary';
  const request = anyStimulus(world, kind);
  const by = { kind: 'session', id, credentialId: 's' } as const;
  world.call(world.core.stimuli.create(by, CHANNEL, request));
  return describe(request);
}

/** Somebody takes one back, or wants it after all. */
export function takeBackOrReplay(world: TurnWorld): string {
  const { known } = world.ledger.stimuli;
  if (known.length === 0) return '';
  const stimulusId = world.random.pick(known);
  const { stimuli } = world.core;
  if (world.random.chance(0.5)) {
    world.call(stimuli.cancel(OWNER, CHANNEL, stimulusId));
    return `cancel ${stimulusId}`;
  }
  world.call(stimuli.replay(OWNER, CHANNEL, stimulusId));
  return `replay ${stimulusId}`;
}

const COMMITS_TO_CLAIM = 6;

/** Waiting work continues until a stimulus is claimed; then the daemon ends. */
export async function crashWithClaim(world: TurnWorld): Promise<string> {
  const { stimuli } = world.ledger;
  if (stimuli.live.length === 0) return '';
  for (let i = 0; i < COMMITS_TO_CLAIM && stimuli.claimed.length === 0; i++) {
    await world.wake();
    if (!world.commit()) return '';
  }
  if (stimuli.claimed.length === 0) return '';
  await world.restart();
  return 'with a claim';
}

function anyStimulus(world: TurnWorld, kind: CreateStimulus['kind']): CreateStimulus {
  const { random } = world;
  const messages = [...(world.ledger.channels.get(CHANNEL)?.messages.values() ?? [])];
  const near = messages.slice(-4);
  const isInThread = near.length > 0 && random.chance(0.6);
  const names = [...world.sessions.keys()];
  const now = world.clock.now();
  return {
    kind,
    scope: isInThread ? 'thread' : 'channel',
    ...(isInThread ? { threadRootMessageId: random.pick(near).rootMessageId } : {}),
    visibilityHint: random.chance(0.15) ? 'main' : 'auto',
    content: `news ${String(random.below(5))}`,
    ...(random.chance(0.3) ? { addressedMemberIds: [random.pick(names)] } : {}),
    ...(random.chance(0.3) ? { dedupeKey: `d${String(random.below(2))}` } : {}),
    ...(random.chance(0.3) ? { progressKey: `p${String(random.below(2))}` } : {}),
    ...(random.chance(0.2) ? { availableAt: now + 4_000 } : {}),
    ...(random.chance(0.2) ? { expiresAt: now + random.pick([-1, 2_000, 20_000]) } : {}),
  };
}

const describe = ({ kind, scope, content }: CreateStimulus): string =>
  `${kind} ${scope} ${content}`;
