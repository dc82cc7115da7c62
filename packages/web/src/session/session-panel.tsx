import type { Session } from '@stoa/protocol';
import { type KeyboardEvent, useRef } from 'react';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { InboxTab } from './inbox-tab.js';
import { RunsTab } from './runs-tab.js';
import { TasksTab } from './tasks-tab.js';
import { UsageTab } from './usage-tab.js';

const TABS = { runs: 'Runs', inbox: 'Inbox', tasks: 'Tasks', usage: 'Usage' } as const;
export type Tab = keyof typeof TABS;
const NAMES = Object.keys(TABS) as Tab[];

const SHOWN = { runs: RunsTab, inbox: InboxTab, tasks: TasksTab, usage: UsageTab } as const;

interface SessionPanelProps {
  readonly session: Session;
  readonly tab: Tab;
  readonly onTab: (tab: Tab) => void;
  readonly onClose: () => void;
}

/** What there is of a session besides its journal. */
export function SessionPanel({ session, tab, onTab, onClose }: SessionPanelProps) {
  const list = useRef<HTMLDivElement>(null);
  const Shown = SHOWN[tab];
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = NAMES[NAMES.indexOf(tab) + step];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    onTab(next);
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <>
      <div className="flex h-11 shrink-0 items-center gap-1 border-b border-line px-2">
        <div
          ref={list}
          role="tablist"
          aria-label="Session details"
          tabIndex={-1}
          onKeyDown={move}
          className="flex min-w-0 grow gap-1"
        >
          {NAMES.map((name) => (
            <button
              key={name}
              id={`tab-${name}`}
              type="button"
              role="tab"
              aria-selected={name === tab}
              aria-controls="session-tab"
              tabIndex={name === tab ? 0 : -1}
              onClick={() => onTab(name)}
              className={`h-7 rounded-md px-2.5 text-[13px] ${name === tab ? 'bg-hover font-medium text-ink' : 'text-soft hover:bg-hover'}`}
            >
              {TABS[name]}
            </button>
          ))}
        </div>
        <IconButton label="Close the panel" onClick={onClose}>
          <Icon name="close" />
        </IconButton>
      </div>
      <div
        id="session-tab"
        role="tabpanel"
        aria-labelledby={`tab-${tab}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard.
        tabIndex={0}
        className="min-h-0 grow overflow-y-auto px-3 py-2"
      >
        <Shown sessionId={session.sessionId} />
      </div>
    </>
  );
}
