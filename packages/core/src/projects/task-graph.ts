import { StoaError } from '@stoa/protocol';

type Edges = ReadonlyMap<string, readonly string[]>;

/** Refuses edges of a task that lead back to it. */
export function assertNoCircle(taskId: string, next: readonly string[], edges: Edges): void {
  const seen = new Set<string>();
  const open = [...next];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === taskId) throw new StoaError('task_cycle', `${taskId} would come before itself`);
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(edges.get(at) ?? []));
  }
}

export function edgesOf(pairs: Iterable<readonly [string, string]>): Edges {
  const edges = new Map<string, string[]>();
  for (const [from, to] of pairs) {
    const known = edges.get(from);
    if (known) known.push(to);
    else edges.set(from, [to]);
  }
  return edges;
}
