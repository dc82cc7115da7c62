import type { Trouble } from './judge.js';
import { lose } from './network.js';
import type { SimDaemon } from './sim-daemon.js';
import type { CommitFault } from './virtual-disk.js';
import type { World } from './world.js';

/** Lets the store of a daemon commit what has gathered. */
export async function flush(world: World, daemon: SimDaemon, fault?: CommitFault): Promise<void> {
  const run = daemon.flush;
  if (!run) return;
  daemon.flush = undefined;
  world.attempts = [];
  const isFull = world.disk.isFull || fault?.kind === 'full_at_commit';
  world.disk.commit(fault, run);
  const isDead = world.disk.isDead;
  if (world.attempts.filter(({ committed }) => committed).length > 1) world.saw('shared commit');
  if (isDead) {
    const isAfter = world.attempts.some(({ committed }) => committed);
    world.saw(isAfter ? 'crash after a commit' : 'crash before a commit');
    stop(world, world.daemons);
    world.disk.crash();
  }
  const trouble: Trouble = isDead ? 'crashed' : isFull ? 'full' : 'none';
  world.judge.flushed(world.attempts, trouble);
  if (isDead) await world.startDaemons();
}

/** The machine stops, and starts again from what is on disk. */
export async function crash(world: World): Promise<void> {
  stop(world, world.daemons);
  world.disk.crash();
  await world.startDaemons();
}

/** One of several daemons dies, and starts again; the others go on. */
export async function crashOne(world: World, daemon: SimDaemon): Promise<void> {
  stop(world, [daemon]);
  world.daemons = world.daemons.filter((other) => other !== daemon);
  await world.startDaemon(daemon.name);
}

/**
 * What the processes had in mind and the answers on their way are gone; clients ask again for what
 * they did not receive.
 */
function stop(world: World, daemons: readonly SimDaemon[]): void {
  for (const daemon of daemons) daemon.kill();
  for (const [sweep, at] of world.sweeps) if (daemons.includes(at)) world.sweeps.delete(sweep);
  const lost = [...world.calls].filter(([, at]) => daemons.includes(at)).map(([call]) => call);
  const undelivered = world.responses.filter(({ from }) => daemons.includes(from));
  for (const call of lost) world.calls.delete(call);
  world.responses = world.responses.filter((response) => !undelivered.includes(response));
  world.hints = world.hints.filter(({ to }) => !daemons.includes(to));
  for (const reader of world.readers) {
    if (reader.daemon && daemons.includes(reader.daemon as SimDaemon)) reader.away();
  }
  for (const { request } of lost) lose(world, request);
  for (const { call } of undelivered) lose(world, call.request);
}
