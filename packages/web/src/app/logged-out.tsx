import { Empty } from '../ui/empty.js';

export function LoggedOut() {
  return (
    <main className="flex h-dvh">
      <Empty title="This browser is not logged in any more">
        Run <code className="rounded bg-code px-1 font-mono">stoa login</code> and open the link it
        prints. It works once, for ten minutes.
      </Empty>
    </main>
  );
}
