import type { ReactNode } from 'react';
import { OfflineBanner } from '../feed/offline-banner.js';
import { Icon } from '../ui/icon.js';
import { Columns } from './layout.js';
import { Link } from './router.js';

interface PageProps {
  readonly title: string;
  /** Where Back leads, and what is there; on a wide screen only what is not in the sidebar anyway. */
  readonly back?: { readonly to: string; readonly label: string };
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A screen that is no conversation: a heading, and what scrolls below it. */
export function Page({ title, back, about, actions, children }: PageProps) {
  const { to, label } = back ?? { to: '/', label: 'Back to the channels' };
  return (
    <Columns>
      <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line px-3 wide:px-4">
        <Link
          to={to}
          title={label}
          aria-label={label}
          className={`-ml-1.5 flex size-8 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink ${back ? '' : 'wide:hidden'}`}
        >
          <Icon name="back" />
        </Link>
        <h1
          className={`truncate text-[15px] font-semibold ${about === undefined ? '' : 'shrink-0'}`}
        >
          {title}
        </h1>
        <div className="min-w-0 grow truncate text-[13px] text-faint">
          <span className="hidden wide:inline">{about}</span>
        </div>
        {actions}
      </header>
      <OfflineBanner meanwhile="This page may be out of date, and you cannot change anything until it is back." />
      <div className="flex min-h-0 grow flex-col overflow-y-auto">{children}</div>
    </Columns>
  );
}
