import { type ReactNode, useRef } from 'react';
import { useFocusKept } from './use-focus-kept.js';

interface LayoutProps {
  /** Where one is. */
  readonly path: string;
  /** On a narrow screen the sidebar is the home, and everything else covers it. */
  readonly isHome: boolean;
  readonly sidebar: ReactNode;
  /** The screen; it brings its own side panel, see `Columns`. */
  readonly main: ReactNode;
  readonly statusBar: ReactNode;
}

export function Layout({ path, isHome, sidebar, main, statusBar }: LayoutProps) {
  const list = useRef<HTMLElement>(null);
  const screen = useRef<HTMLDivElement>(null);
  useFocusKept(path, isHome ? list : screen);
  return (
    <div className="flex h-dvh flex-col">
      <div className="flex min-h-0 grow">
        <nav
          ref={list}
          tabIndex={-1}
          aria-label="Channels and sessions"
          className={`${isHome ? 'flex' : 'hidden'} w-full flex-col overflow-y-auto outline-none border-r border-line bg-panel wide:flex wide:w-60 wide:shrink-0`}
        >
          {sidebar}
        </nav>
        <div
          ref={screen}
          tabIndex={-1}
          className={`${isHome ? 'hidden' : 'flex'} relative min-w-0 grow outline-none wide:flex`}
        >
          {main}
        </div>
      </div>
      {statusBar}
    </div>
  );
}

interface ColumnsProps {
  readonly children: ReactNode;
  /** What is open beside it, such as a thread; on a narrow screen it covers it. */
  readonly side?: ReactNode;
  readonly sideLabel?: string;
}

/** The main column of a screen and, where there is one, its side panel. */
export function Columns({ children, side, sideLabel }: ColumnsProps) {
  const isOpen = side !== undefined && side !== null;
  return (
    <>
      {/* What is covered keeps its size, so that one comes back to where one was reading. */}
      <main
        className={`flex min-w-0 grow flex-col ${isOpen ? 'max-huge:invisible max-huge:absolute max-huge:inset-0' : ''}`}
      >
        {children}
      </main>
      {isOpen ? (
        <aside
          aria-label={sideLabel}
          className="flex min-w-0 grow flex-col border-line huge:w-[26rem] huge:border-l huge:shrink-0 huge:grow-0"
        >
          {side}
        </aside>
      ) : null}
    </>
  );
}
