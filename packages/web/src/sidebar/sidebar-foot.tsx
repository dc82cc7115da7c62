import { chooseTheme, type Theme, useTheme } from '../app/theme.js';
import { useMe } from '../data/queries.js';
import { Icon } from '../ui/icon.js';
import { Menu } from '../ui/menu.js';

const THEMES: readonly { readonly theme: Theme; readonly label: string }[] = [
  { theme: 'system', label: 'As the system' },
  { theme: 'light', label: 'Light' },
  { theme: 'dark', label: 'Dark' },
];

/** Who one is, and what one prefers. */
export function SidebarFoot() {
  const { data: me } = useMe();
  const chosen = useTheme();
  return (
    <div className="flex h-11 shrink-0 items-center gap-1 border-t border-line px-3">
      <span className="grow truncate text-[13px] text-soft">{me?.displayName}</span>
      <Menu
        label="Colours"
        above
        items={THEMES.map(({ theme, label }) => ({
          label,
          icon: <Icon name="check" className={theme === chosen ? '' : 'invisible'} />,
          onSelect: () => chooseTheme(theme),
        }))}
      >
        <Icon name="theme" />
      </Menu>
    </div>
  );
}
