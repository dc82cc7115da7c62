import { queryClient } from './queries.js';

/** Many events come at once: what they make stale is asked for once, and once more for those that came meanwhile. */
const GATHER_MS = 100;

const due = new Map<string, 'gathering' | 'asking' | 'again'>();

export function refreshSoon(queryKey: readonly unknown[]): void {
  const name = JSON.stringify(queryKey);
  const state = due.get(name);
  if (state === undefined) gather(name, queryKey);
  else if (state === 'asking') due.set(name, 'again');
}

function gather(name: string, queryKey: readonly unknown[]): void {
  due.set(name, 'gathering');
  setTimeout(() => void ask(name, queryKey), GATHER_MS);
}

async function ask(name: string, queryKey: readonly unknown[]): Promise<void> {
  due.set(name, 'asking');
  // Resolves also if the request fails: the component that shows the data reports that.
  await queryClient.invalidateQueries({ queryKey });
  if (due.get(name) === 'again') gather(name, queryKey);
  else due.delete(name);
}
