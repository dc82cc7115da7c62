import { newUpkeep, onBehalf } from './call.js';
import { StoaError } from '@stoa/protocol';
import { InjectedDefect } from './observed-store.js';
import type { SimDaemon } from './sim-daemon.js';
import type { World } from './world.js';

/** Lets a daemon tidy up, as it does every few minutes. A failed sweep is tried again at the next turn. */
export function sweep(world: World, daemon: SimDaemon, isPoisoned: boolean): void {
  const upkeep = newUpkeep('sweep', world.clock.now(), isPoisoned);
  world.sweeps.add(upkeep);
  onBehalf
    .run(upkeep, () => daemon.core.sweeper.sweep())
    .catch((error: unknown) => {
      const isExpected =
        error instanceof InjectedDefect ||
        (error instanceof StoaError && error.code === 'storage_full');
      if (daemon.isAlive && !isExpected) world.fail('a sweep failed', { error });
    })
    .finally(() => world.sweeps.delete(upkeep));
}
