import { blankImage, settled } from './kernel.js';
import { flush } from './machine.js';
import { emptyState } from './model/state.js';
import { arrive, deliver, send } from './network.js';
import type { Operation } from './operation.js';
import type { Profile } from './profile.js';
import { type Opening, World } from './world.js';

const QUIET: Profile = {
  daemons: 1,
  pacedReads: false,
  group: { members: 256, milliseconds: 20 },
  memberMs: 0,
  steps: 0,
  keyed: 0,
  weights: { crash: 0, full: 0, defect: 0, repeat: 0, sweep: 0, readers: 0, search: 0, assets: 0 },
};

const OWNER_SECRET = 'the-secret-of-the-owner-in-simulations';
const PEOPLE = ['alice', 'bob', 'carol', 'dan'];

const SCENE: readonly [client: string, operation: Operation][] = [
  ...PEOPLE.map((humanId): [string, Operation] => [
    'owner',
    { kind: 'mint', humanId, name: `token of ${humanId}` },
  ]),
  ['owner', { kind: 'create_channel', channelId: 'lobby', title: 'Lobby' }],
  ['alice', { kind: 'join', channelId: 'lobby', actorId: 'human:alice' }],
  ['bob', { kind: 'join', channelId: 'lobby', actorId: 'human:bob' }],
  ['carol', { kind: 'join', channelId: 'lobby', actorId: 'human:carol' }],
  ['alice', { kind: 'create_channel', channelId: 'den', title: 'Den' }],
  ['alice', { kind: 'join', channelId: 'den', actorId: 'human:bob' }],
  ['bob', { kind: 'post', channelId: 'lobby', request: { text: 'good morning' } }],
  ['bob', { kind: 'post', channelId: 'den', request: { text: 'what about supper?' } }],
  ['alice', { kind: 'post', channelId: 'lobby', request: { text: 'and to you' } }],
  ['alice', { kind: 'upload', text: 'a picture of the sea' }],
  ...['owner', 'alice', 'bob', 'carol'].flatMap((client) =>
    [1, 2].map((readSeq): [string, Operation] => [
      client,
      { kind: 'move_cursor', channelId: 'lobby', readSeq },
    ]),
  ),
];

let opening: Promise<Opening> | undefined;

/** Five people, of whom one is the owner and one is in no channel; made once, then copied. */
export function openingState(): Promise<Opening> {
  opening ??= playOpening();
  return opening;
}

async function playOpening(): Promise<Opening> {
  const world = new World(
    0,
    {
      image: blankImage(),
      state: emptyState(),
      files: new Map(),
      secrets: new Map([['owner', OWNER_SECRET]]),
    },
    () => QUIET,
  );
  const starting = world.startDaemons();
  await settled();
  await flushAll(world);
  await starting;
  for (const [client, operation] of SCENE) {
    send(
      world,
      world.newRequest(client, () => operation),
    );
    const [daemon] = world.daemons;
    const request = world.network.pop();
    if (!daemon || !request) throw new Error('the opening needs a daemon');
    arrive(world, request, daemon, undefined);
    await settled();
    await flushAll(world);
    for (const response of world.responses.splice(0)) deliver(world, response);
    world.assertUnviolated();
  }
  const image = world.disk.db.serialize();
  const { files } = world.assetDisk;
  const secrets = world.tokens;
  world.close();
  return { image, state: world.model.state, files, secrets };
}

async function flushAll(world: World): Promise<void> {
  for (const daemon of world.daemons) {
    while (daemon.flush) {
      await flush(world, daemon);
      await settled();
    }
  }
}
