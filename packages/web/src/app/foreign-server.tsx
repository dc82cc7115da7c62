import { useForeignServer } from '../data/foreign-server.js';
import { Empty } from '../ui/empty.js';

const TITLE = 'The server at this address is not your daemon';

/** Over everything else, for as long as another server answers where the daemon was. */
export function ForeignServerAlert() {
  if (!useForeignServer()) return null;
  return (
    <p
      role="alert"
      className="fixed inset-x-0 top-0 z-50 border-b border-line bg-danger-wash px-4 py-2 text-[13px] text-danger"
    >
      <strong>{TITLE}.</strong> Another program answers here and could not prove that it is your
      daemon, so nothing was sent to it. Do not reload this page: the program could show anything.
      This page reconnects when your daemon is back.
    </p>
  );
}

/** Instead of the page, when nothing could be read yet. */
export function ForeignServer() {
  return (
    <main className="flex h-dvh">
      <Empty title={TITLE}>
        It could not prove that it is the daemon this browser logged in to, so nothing was sent to
        it. If the data directory of your daemon was replaced, run{' '}
        <code className="rounded bg-code px-1 font-mono">stoa login</code> and open the link it
        prints.
      </Empty>
    </main>
  );
}
