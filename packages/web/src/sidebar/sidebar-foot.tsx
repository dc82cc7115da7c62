import type { ReactNode } from 'react';
import { Link, usePage } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { chooseTheme, type Theme, useTheme } from '../app/theme.js';
import { useMe } from '../data/queries.js';
import { Icon } from '../ui/icon.js';
import { Menu } from '../ui/menu.js';

const THEMES: readonly { readonly theme: Theme; readonly label: string }[] = [
  { theme: 'system', label: 'System' },
  { theme: 'light', label: 'Light' },
  { theme: 'dark', label: 'Dark' },
];

/** Who one is, and what one prefers. */
export function SidebarFoot() {
  const { data: me } = useMe();
  const chosen = useTheme();
  const page = usePage();
  return (
    <div className="flex h-11 shrink-0 items-center gap-1 border-t border-line px-3">
      <span className="grow truncate text-[13px] text-soft">{me?.displayName}</span>
      <FootLink to={pathTo.usagePage()} label="Usage" isHere={page?.page === 'usagePage'}>
        <Icon name="chart" />
      </FootLink>
      <FootLink
        to={pathTo.settingsPage()}
        label="Settings"
        isHere={page?.page.startsWith('settings') ?? false}
      >
        <Icon name="settings" />
      </FootLink>
      <Menu
        label="Colours"
        above
        items={THEMES.map(({ theme, label }) => ({
          label,
          icon: <Icon name="check" className={theme === chosen ? '' : 'invisible'} />,
          isChosen: theme === chosen,
          onSelect: () => chooseTheme(theme),
        }))}
      >
        <Icon name="theme" />
      </Menu>
    </div>
  );
}

interface FootLinkProps {
  readonly to: string;
  readonly label: string;
  readonly isHere: boolean;
  readonly children: ReactNode;
}

function FootLink({ to, label, isHere, children }: FootLinkProps) {
  return (
    <Link
      to={to}
      title={label}
      aria-label={label}
      aria-current={isHere ? 'page' : undefined}
      className={`flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-hover hover:text-ink ${isHere ? 'bg-hover text-ink' : 'text-soft'}`}
    >
      {children}
    </Link>
  );
}
