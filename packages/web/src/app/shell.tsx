import { StoaProblem } from '@stoa/client';
import { lazy, Suspense, useState } from 'react';
import { useFreshData } from '../data/keep-fresh.js';
import { useConnection } from '../data/live.js';
import { useOutbox } from '../data/outbox-here.js';
import { useMe } from '../data/queries.js';
import { useKey } from '../keys/registry.js';
import { useKeyboard } from '../keys/use-keyboard.js';
import { PaletteHost } from '../palette/palette-host.js';
import { Sidebar } from '../sidebar/sidebar.js';
import { StatusBar } from '../status-bar/status-bar.js';
import { Layout } from './layout.js';
import { LoggedOut } from './logged-out.js';
import { usePath, usePlace } from './router.js';
import { Screen } from './screens.js';

const KeysHelp = lazy(async () => ({ default: (await import('../keys/keys-help.js')).KeysHelp }));

export function Shell() {
  const me = useMe();
  const connection = useConnection();
  const isOut = me.error instanceof StoaProblem && me.error.status === 401;
  if (isOut || connection === 'refused') return <LoggedOut />;
  // A moment at most; a spinner that flashes would look slower.
  if (!me.data) return null;
  return <Inside me={me.data.actorId} />;
}

function Inside({ me }: { readonly me: string }) {
  const place = usePlace();
  const path = usePath();
  const [help, setHelp] = useState(false);
  useFreshData('channelId' in place ? place.channelId : undefined);
  useOutbox(me);
  useKeyboard();
  useKey('?', { does: 'Show the keys' }, () => setHelp(true));
  return (
    <>
      <Layout
        path={path}
        isHome={place.name === 'home'}
        sidebar={<Sidebar />}
        main={<Screen place={place} />}
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
