import { newUpkeep, onBehalf } from './call.js';
import type { SimDaemon } from './sim-daemon.js';
import type { World } from './world.js';

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
