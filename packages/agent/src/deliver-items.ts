import type { RunContext } from '@stoa/core';

/** Records that the items of the run are in the agent's context. */
export async function deliverItems({ items, journal }: RunContext): Promise<void> {
  if (items.length === 0) return;
  const how = items.length > 1 ? 'collect' : 'start';
  await journal.delivered(
    items.map(({ itemId }) => itemId),
    how,
  );
}
