import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Core } from '@stoa/core';
import type { Benchmark } from '../benchmark.js';
import { alternate, type Block, type Extent, millisecondsEach } from '../measure/alternate.js';
import { type Figure, figureOf } from '../measure/figure.js';
import { openDirectory } from '../world/directory.js';
import { openDomain, openStore } from '../world/domain.js';
import { AUTHOR, COMMON_WORD, channelName, RARE_WORD, rootMessageId } from '../world/history.js';
import { prepareHistory } from '../world/prepared-history.js';
import type { Scope } from '../world/scope.js';

const SIZES = { short: [1_000, 10_000], long: [10_000, 100_000, 1_000_000] } as const;
const EXTENTS: Readonly<Record<'short' | 'long', Extent>> = {
  short: { pairs: 10, seconds: 2, warmUp: 2 },
  long: { pairs: 60, seconds: 15, warmUp: 5 },
};
const OPERATIONS = 20;
const PAGE = 50;

/** A copy of the history from when it had this size. */
interface Stage {
  readonly size: number;
  readonly core: Core;
}

type Operation = (stage: Stage, turn: number) => Promise<unknown>;

const OPERATION: Readonly<Record<string, Operation>> = {
  append: ({ core }, turn) =>
    core.channels.post(AUTHOR, channelName(turn), { text: `${COMMON_WORD} ${turn}` }),
  'open a thread': ({ core, size }, turn) =>
    core.channels.messages(AUTHOR, channelName(turn), {
      threadRootMessageId: rootMessageId(size, turn % 10, spread(turn)),
      scope: 'all',
      limit: PAGE,
    }),
  'first page': ({ core }, turn) =>
    core.channels.messages(AUTHOR, channelName(turn), { scope: 'feed', limit: PAGE }),
  'search, rare word': ({ core }) =>
    core.channels.search(AUTHOR, { query: `${RARE_WORD} `, limit: 20 }),
  'search, common word': ({ core }) =>
    core.channels.search(AUTHOR, { query: `${COMMON_WORD} `, limit: 20 }),
};

export const growth: Benchmark = {
  description: 'append, open a thread, first page, search: with many messages ÷ with few',
  async run(form, scope) {
    const stages = await openStages(scope, SIZES[form]);
    const [first, ...later] = stages as [Stage, ...Stage[]];
    const figures: Figure[] = [];
    for (const [name, operation] of Object.entries(OPERATION)) {
      for (const stage of later) {
        const pairs = await alternate(
          repeated(stage, operation),
          repeated(first, operation),
          EXTENTS[form],
        );
        const part = `${name}, ${stage.size} ÷ ${first.size}`;
        figures.push(figureOf({ bench: 'growth', part, unit: 'ms', goal: '<=1.5' }, pairs));
      }
    }
    return figures;
  },
};

/** One history that grows; a copy is kept of each size, so that sizes can be measured in turns. */
async function openStages(scope: Scope, sizes: readonly number[]): Promise<Stage[]> {
  const growing = openDirectory(scope);
  const homes = new Map<number, string>();
  await prepareHistory(scope, growing, sizes, (size) => {
    const home = openDirectory(scope);
    for (const file of ['stoa.db', 'search.db']) cpSync(join(growing, file), join(home, file));
    homes.set(size, home);
  });
  return [...homes].map(([size, home]) => {
    const { core } = openDomain(scope, { home, store: openStore(scope, home) });
    return { size, core };
  });
}

function repeated(stage: Stage, operation: Operation): Block {
  let turn = 0;
  return millisecondsEach(OPERATIONS, async () => {
    for (let i = 0; i < OPERATIONS; i++) {
      await operation(stage, turn);
      turn += 1;
    }
  });
}

/** Between 0 and 1, never near where it was before. */
function spread(turn: number): number {
  return (turn * 0.618_033_988_75) % 1;
}
