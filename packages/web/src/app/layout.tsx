import type { ReactNode } from 'react';

interface LayoutProps {
  /** On a narrow screen the sidebar is the home, and everything else covers it. */
  readonly isHome: boolean;
  readonly sidebar: ReactNode;
  /** The screen; it brings its own side panel, see `Columns`. */
  readonly main: ReactNode;
  readonly statusBar: ReactNode;
}

export function Layout({ isHome, sidebar, main, statusBar }: LayoutProps) {
  return (
    <div className="flex h-dvh flex-col">
      <div className="flex min-h-0 grow">
        <nav
          aria-label="Channels and sessions"
          className={`${isHome ? 'flex' : 'hidden'} w-full flex-col overflow-y-auto border-r border-line bg-panel wide:flex wide:w-60 wide:shrink-0`}
        >
          {sidebar}
        </nav>
        <div className={`${isHome ? 'hidden' : 'flex'} min-w-0 grow wide:flex`}>{main}</div>
      </div>
      {statusBar}
    </div>
  );
}

interface ColumnsProps {
  readonly children: ReactNode;
  /** What is open beside it, such as a thread; on a narrow screen it covers it. */
  readonly side?: ReactNode;
}

/** The main column of a screen and, where there is one, its side panel. */
export function Columns({ children, side }: ColumnsProps) {
  const isOpen = side !== undefined && side !== null;
  return (
    <>
      <main className={`${isOpen ? 'hidden huge:flex' : 'flex'} min-w-0 grow flex-col`}>
        {children}
      </main>
      {isOpen ? (
        <aside className="flex min-w-0 grow flex-col border-line wide:border-l huge:w-[26rem] huge:shrink-0 huge:grow-0">
          {side}
        </aside>
      ) : null}
    </>
  );
}
