import { StoaProblem } from '@stoa/client';
import { Suspense, useEffect, useState } from 'react';
import { useSendQueue } from '../data/browser-send-queue.js';
import { isTemporary } from '../data/failures.js';
import { useForeignServer } from '../data/foreign-server.js';
import { useFreshData } from '../data/keep-fresh.js';
import { useConnection } from '../data/live.js';
import { canSign } from '../data/login-key.js';
import { useMe } from '../data/queries.js';
import { useKey } from '../keys/registry.js';
import { useKeyboard } from '../keys/use-keyboard.js';
import { PaletteHost } from '../palette/palette-host.js';
import { Sidebar } from '../sidebar/sidebar.js';
import { StatusBar } from '../status-bar/status-bar.js';
import { Empty } from '../ui/empty.js';
import { Fallback } from './fallback.js';
import { ForeignServer, ForeignServerAlert } from './foreign-server.js';
import { late, loadTheRest } from './late.js';
import { Layout } from './layout.js';
import { NotSecure } from './not-secure.js';
import { usePage, usePath } from './router.js';
import { Screen } from './screens.js';
import { usePageTitle } from './use-page-title.js';

const KeysHelp = late(async () => (await import('../keys/keys-help.js')).KeysHelp);

/** The page has more important things to load at first. */
const REST_AFTER_MS = 4_000;

export function Shell() {
  const me = useMe();
  const connection = useConnection();
  const isForeign = useForeignServer();
  const isOut = me.error instanceof StoaProblem && me.error.status === 401;
  if (isOut || connection === 'refused') return <LoggedOut />;
  if (!me.data && isForeign) return <ForeignServer />;
  if (!me.data) return me.failureReason ? <NotAnswering problem={me.failureReason} /> : null;
  return <Inside me={me.data.actorId} />;
}

/** Nothing is shown at first: a moment at most, and what flashes would look slower. */
function NotAnswering({ problem }: { readonly problem: Error }) {
  return (
    <main className="flex h-dvh">
      <Empty title="The daemon does not answer">
        This page tries again in a moment.{isTemporary(problem) ? null : ` (${problem.message})`}
      </Empty>
    </main>
  );
}

function Inside({ me }: { readonly me: string }) {
  const page = usePage();
  const path = usePath();
  const [help, setHelp] = useState(false);
  useFreshData(page && 'channelId' in page ? page.channelId : undefined);
  useSendQueue(me);
  usePageTitle(page);
  useEffect(() => {
    const timer = setTimeout(() => void loadTheRest(), REST_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  useKeyboard();
  useKey('?', { does: 'Show the keyboard shortcuts' }, () => setHelp(true));
  return (
    <>
      <ForeignServerAlert />
      <Layout
        path={path}
        isHome={page?.page === 'home'}
        sidebar={<Sidebar />}
        main={
          <Fallback of={path}>
            <Screen page={page} />
          </Fallback>
        }
        statusBar={<StatusBar />}
      />
      <PaletteHost />
      {help ? (
        <Suspense>
          <KeysHelp onClose={() => setHelp(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

function LoggedOut() {
  if (!canSign()) return <NotSecure />;
  return (
    <main className="flex h-dvh">
      <Empty title="This browser is not logged in">
        Run <code className="rounded bg-code px-1 font-mono">stoa login</code> and open the link it
        prints; the daemon also prints one when it starts. A link works once, within ten minutes.
      </Empty>
    </main>
  );
}
