import { canSign } from '../data/login-key.js';
import { Empty } from '../ui/empty.js';
import { NotSecure } from './not-secure.js';

export function LoggedOut() {
  if (!canSign()) return <NotSecure />;
  return (
    <main className="flex h-dvh">
      <Empty title="This browser is not logged in">
        Run <code className="rounded bg-code px-1 font-mono">stoa login</code> and open the link it
        prints; the start of the daemon prints one too. A link works once, for ten minutes.
      </Empty>
    </main>
  );
}
