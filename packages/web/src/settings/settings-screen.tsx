import { type ComponentType, useEffect, useRef } from 'react';
import { Page } from '../app/page.js';
import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { Empty } from '../ui/empty.js';
import { AgentsSection } from './agents-section.js';
import { AppearanceSection } from './appearance-section.js';
import { ChannelsSection } from './channels-section.js';
import { McpSection } from './mcp-section.js';
import { SchedulesSection } from './schedules-section.js';
import { Sheet } from './section.js';
import { TokensSection } from './tokens-section.js';

interface Entry {
  readonly section: string;
  readonly label: string;
  readonly Shown: ComponentType;
}

const SECTIONS: readonly Entry[] = [
  { section: 'agents', label: 'Agents', Shown: AgentsSection },
  { section: 'channels', label: 'Channels', Shown: ChannelsSection },
  { section: 'schedules', label: 'Schedules', Shown: SchedulesSection },
  { section: 'mcp', label: 'MCP servers', Shown: McpSection },
  { section: 'tokens', label: 'Access tokens', Shown: TokensSection },
  { section: 'appearance', label: 'Appearance', Shown: AppearanceSection },
];

export function SettingsScreen({
  place,
}: {
  readonly place: { readonly section: string | undefined };
}) {
  const section = place.section ?? SECTIONS[0]?.section;
  const entry = SECTIONS.find((each) => each.section === section);
  const list = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: to be done whenever another is shown.
  useEffect(() => {
    const chosen = list.current?.querySelector('[aria-current]');
    chosen?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [section]);
  return (
    <Page title="Settings">
      <div className="flex min-h-0 grow flex-col wide:flex-row">
        <nav
          ref={list}
          aria-label="Settings"
          className="flex shrink-0 gap-1 overflow-x-auto border-b border-line p-2 wide:w-44 wide:flex-col wide:overflow-visible wide:border-b-0 wide:py-4 wide:pl-3"
        >
          {SECTIONS.map((each) => (
            <Link
              key={each.section}
              to={pathTo.settings(each.section)}
              aria-current={each === entry ? 'page' : undefined}
              className={`rounded-md px-2.5 py-1 text-[13px] whitespace-nowrap hover:bg-hover ${each === entry ? 'bg-hover font-medium text-ink' : 'text-soft'}`}
            >
              {each.label}
            </Link>
          ))}
        </nav>
        {entry ? (
          <Sheet>
            <entry.Shown />
          </Sheet>
        ) : (
          <Empty title="There are no such settings">Choose one of the list.</Empty>
        )}
      </div>
    </Page>
  );
}
