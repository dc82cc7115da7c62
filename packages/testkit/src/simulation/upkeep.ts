import { StoaError } from '@stoa/protocol';
import { newUpkeep, onBehalf, type Upkeep } from './call.js';
import { settled } from './kernel.js';
import { flush } from './machine.js';
import { InjectedDefect } from './observed-store.js';
import type { SimDaemon } from './sim-daemon.js';
import type { World } from './world.js';

/** Otherwise a sweep, which is many small commits, would hardly ever come to its end. */
export async function seeThrough(world: World, daemon: SimDaemon, upkeep: Upkeep): Promise<void> {
  for (let round = 0; round < 60 && world.sweeps.has(upkeep); round++) {
    for (const goOn of daemon.waiting.splice(0)) goOn();
    await settled();
    await flush(world, daemon);
    await settled();
  }
}

/** Lets a daemon sweep, as it does every few minutes. A failed sweep is repeated later. */
export function sweep(world: World, daemon: SimDaemon, isPoisoned: boolean): Upkeep {
  const upkeep = newUpkeep('sweep', world.clock.now(), isPoisoned);
  world.sweeps.set(upkeep, daemon);
  onBehalf
    .run(upkeep, () => daemon.core.sweeper.sweep())
    .catch((error: unknown) => {
      const isExpected =
        error instanceof InjectedDefect ||
        (error instanceof StoaError && error.code === 'storage_full');
      if (daemon.isAlive && !isExpected) world.fail('a sweep failed', { error });
    })
    .finally(() => world.sweeps.delete(upkeep));
  return upkeep;
}

/** The owner asks for the integrity check while others write. It must raise no false alarm. */
export function checkIntegrity(world: World, daemon: SimDaemon): void {
  const upkeep = newUpkeep('check', world.clock.now());
  onBehalf
    .run(upkeep, () => daemon.core.checkIntegrity())
    .then(
      ({ ok, problems }) => {
        if (!daemon.isAlive) return;
        world.saw('integrity checked');
        if (!ok) world.fail('an integrity check raised an alarm', { problems });
      },
      (error: unknown) => {
        if (daemon.isAlive) world.fail('an integrity check failed', { error });
      },
    );
}
