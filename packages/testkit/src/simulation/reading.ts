import { StoaError } from '@stoa/protocol';
import { newUpkeep, onBehalf } from './call.js';
import type { SimDaemon } from './sim-daemon.js';
import { SimReader } from './sim-reader.js';
import type { World } from './world.js';

/** Readers, fast and slow, of channels and of their own topics. */
export function chooseReaders(world: World): void {
  const { random } = world;
  for (let i = 1; i <= random.between(2, 4); i++) {
    const client = random.pick(['owner', 'alice', 'bob', 'carol']);
    const topic = random.pick([
      'channel:lobby',
      'channel:lobby',
      'channel:den',
      `human:${client}`,
      `human:${client}`,
    ]);
    const capacity = random.chance(0.4) ? random.between(100, 1_000) : undefined;
    const saw = (what: string): void => {
      world.saw(what);
    };
    const reader = new SimReader(`r${i}`, client, topic, capacity, world.disk, world.fail, saw);
    if (random.chance(0.5)) reader.last = 0;
    world.readers.push(reader);
  }
}

/** Subscribes like a connection of the daemon: admission, permission, subscription, start. */
export function connect(world: World, reader: SimReader, daemon: SimDaemon): void {
  reader.state = 'connecting';
  reader.daemon = daemon;
  const upkeep = newUpkeep('follow', world.clock.now());
  onBehalf
    .run(upkeep, () => follow(world, reader, daemon))
    .catch((error: unknown) => {
      if (!daemon.isAlive) return;
      reader.away();
      const code = error instanceof StoaError ? error.code : undefined;
      const isGone = !isReachable(world, reader.topic);
      const isAllowed = code === 'unauthenticated' || (code === 'channel_not_found' && isGone);
      if (!isAllowed) world.fail(`${reader.name} could not connect`, { error });
    });
}

async function follow(world: World, reader: SimReader, { core }: SimDaemon): Promise<void> {
  const secret = world.tokens.get(reader.client) ?? '';
  const by = await core.credentials.authenticate({ as: 'token', secret });
  if (!by) throw new StoaError('unauthenticated');
  await core.assertMayFollow(by, reader.topic);
  const subscription = await core.hub.follow(reader, reader.topic, reader.last);
  if (!subscription) throw new StoaError('topic_not_found');
  reader.started(subscription);
  subscription.begin();
}

const isReachable = ({ model }: World, topic: string): boolean =>
  !topic.startsWith('channel:') || model.state.channels.has(topic.slice('channel:'.length));
