import type { Core } from '@stoa/core';
import { type Domain, openDomain, openStore } from './domain.js';
import { createChannels, writeHistory } from './history.js';
import type { Scope } from './scope.js';

/** So many messages are checked to be what posting them would have left. */
const CHECKED_SIZE = 1_000;

/**
 * A data directory whose history grows to each of the sizes in turn, indexed for search. It is
 * closed whenever `reached` is called, so that it can be copied.
 */
export async function prepareHistory(
  scope: Scope,
  home: string,
  sizes: readonly number[],
  reached?: (size: number) => void,
): Promise<void> {
  const inDomain = (body: (domain: Domain) => Promise<void>): Promise<void> =>
    scope.within((inner) => body(openDomain(inner, { home, store: openStore(inner, home) })));
  await inDomain(async ({ core }) => {
    await createChannels(core);
    writeHistory(home, 0, CHECKED_SIZE);
    await assertSound(core);
  });
  let from = CHECKED_SIZE;
  for (const size of sizes) {
    if (size > from) writeHistory(home, from, size);
    await inDomain(({ search }) => search.settled());
    reached?.(size);
    from = size;
  }
}

async function assertSound(core: Core): Promise<void> {
  const { ok, problems } = await core.checkIntegrity();
  if (!ok) throw new Error(`history is not what posting makes: ${problems.join('; ')}`);
}
