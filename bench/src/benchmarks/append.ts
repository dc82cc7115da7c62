import { join } from 'node:path';
import type { Principal } from '@stoa/protocol';
import type { Benchmark } from '../benchmark.js';
import { MESSAGE_TEXT } from '../load/message-text.js';
import { share } from '../load/share.js';
import { alternate, perSecond } from '../measure/alternate.js';
import { type Figure, figureOf, type Goal } from '../measure/figure.js';
import { openDirectory } from '../world/directory.js';
import { openChannel, openDomain, openStore } from '../world/domain.js';
import { openSyncedBlocks } from '../world/synced-blocks.js';

interface Part {
  readonly part: string;
  readonly posters: number;
  readonly postsEach: number;
  readonly goal: Goal;
}

const PARTS: readonly Part[] = [
  { part: '1 poster', posters: 1, postsEach: 96, goal: '>=0.6' },
  { part: '32 posters', posters: 32, postsEach: 3, goal: '>=3' },
];

const CHANNEL = 'bench';

export const append: Benchmark = {
  description: 'acknowledged posts, synced, in process ÷ 4 KB pwrite + fdatasync',
  async run(form, scope) {
    const home = openDirectory(scope);
    const { core, search } = openDomain(scope, { home, store: openStore(scope, home) });
    const people = await openChannel(core, CHANNEL, 32);
    const writeSynced = openSyncedBlocks(scope, join(home, 'blocks'));
    const extent =
      form === 'short'
        ? { pairs: 20, seconds: 4, warmUp: 10 }
        : { pairs: 200, seconds: 60, warmUp: 20 };

    const figures: Figure[] = [];
    for (const { part, posters, postsEach, goal } of PARTS) {
      const operations = posters * postsEach;
      const ours = perSecond(operations, () =>
        share(posters, postsEach, (poster) =>
          core.channels.post(people[poster] as Principal, CHANNEL, { text: MESSAGE_TEXT }),
        ),
      );
      const peer = perSecond(operations, () => {
        for (let i = 0; i < operations; i++) writeSynced();
      });
      const settle = (): Promise<void> => search.settled();
      const pairs = await alternate(ours, peer, { ...extent, settle });
      figures.push(figureOf({ bench: 'append', part, unit: 'ops/s', goal }, pairs));
    }
    return figures;
  },
};
