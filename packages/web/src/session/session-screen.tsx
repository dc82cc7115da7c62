import { useState } from 'react';
import { CannotShow } from '../app/cannot-show.js';
import { Columns } from '../app/layout.js';
import type { AddressOf } from '../app/routes.js';
import { useApprovals } from '../data/work.js';
import { openApprovals } from '../status-bar/opened.js';
import { Button } from '../ui/button.js';
import { visibleText } from '../ui/visible-text.js';
import { Journal } from './journal.js';
import { PromptBox } from './prompt-box.js';
import { SessionHeader } from './session-header.js';
import { SessionPanel, type Tab } from './session-panel.js';
import { useFreshSession, useJournal, useSession } from './use-session.js';

interface SessionScreenProps {
  readonly page: AddressOf<'sessionPage'>;
}

export function SessionScreen({ page }: SessionScreenProps) {
  return <OpenSession key={page.sessionId} sessionId={page.sessionId} />;
}

/** Where there is room for it, the panel is open from the beginning. */
const hasRoom = (): boolean => matchMedia('(width >= 70rem)').matches;

function OpenSession({ sessionId }: { readonly sessionId: string }) {
  const { data: session, error } = useSession(sessionId);
  const { view, loadOlder } = useJournal(sessionId);
  const [tab, setTab] = useState<Tab | undefined>(() => (hasRoom() ? 'runs' : undefined));
  useFreshSession(sessionId);
  if (error && !session) {
    return (
      <Columns>
        <CannotShow what="session" error={error} />
      </Columns>
    );
  }
  if (!session) return null;
  return (
    <Columns
      sideLabel="About this session"
      side={
        tab === undefined ? undefined : (
          <SessionPanel
            session={session}
            tab={tab}
            onTab={setTab}
            onClose={() => setTab(undefined)}
          />
        )
      }
    >
      <SessionHeader
        session={session}
        isPanelOpen={tab !== undefined}
        onPanel={() => setTab(tab === undefined ? 'runs' : undefined)}
      />
      <Journal view={view} session={session} onOlder={loadOlder} />
      <WaitingStrip sessionId={sessionId} />
      <PromptBox session={session} />
    </Columns>
  );
}

/** What the session waits for; the answer is given in the inbox. */
function WaitingStrip({ sessionId }: { readonly sessionId: string }) {
  const { data: approvals } = useApprovals();
  return approvals
    ?.filter((approval) => approval.sessionId === sessionId)
    .map(({ approvalId, title }) => (
      <div
        key={approvalId}
        role="status"
        className="mx-3 mb-1 flex items-center gap-2 rounded-md bg-warn-wash px-3 py-1.5 text-[13px] text-warn wide:mx-4"
      >
        <p className="min-w-0 grow truncate">Waiting for you: {visibleText(title)}</p>
        <Button className="h-7" onClick={() => openApprovals(approvalId)}>
          Review
        </Button>
      </div>
    ));
}
