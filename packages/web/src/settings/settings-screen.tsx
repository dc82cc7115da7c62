import { type ComponentType, useEffect, useRef } from 'react';
import { Page } from '../app/page.js';
import { Link } from '../app/router.js';
import { type AddressOf, pathTo } from '../app/routes.js';
import { Empty } from '../ui/empty.js';
import { AgentsSection } from './agents-section.js';
import { AppearanceSection } from './appearance-section.js';
import { ChannelsSection } from './channels-section.js';
import { McpSection } from './mcp-section.js';
import { SchedulesSection } from './schedules-section.js';
import { Sheet } from './section.js';
import { SECTIONS } from './sections.js';
import { TokensSection } from './tokens-section.js';

const SHOWN: Readonly<Record<(typeof SECTIONS)[number]['section'], ComponentType>> = {
  agents: AgentsSection,
  channels: ChannelsSection,
  schedules: SchedulesSection,
  mcp: McpSection,
  tokens: TokensSection,
  appearance: AppearanceSection,
};

interface SettingsScreenProps {
  readonly page: AddressOf<'settingsPage'> | AddressOf<'settingsSectionPage'>;
}

export function SettingsScreen({ page }: SettingsScreenProps) {
  const section = page.page === 'settingsSectionPage' ? page.section : SECTIONS[0].section;
  const entry = SECTIONS.find((each) => each.section === section);
  const Shown = entry && SHOWN[entry.section];
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
              to={pathTo.settingsSectionPage(each.section)}
              aria-current={each === entry ? 'page' : undefined}
              className={`rounded-md px-2.5 py-1 text-[13px] whitespace-nowrap hover:bg-hover ${each === entry ? 'bg-hover font-medium text-ink' : 'text-soft'}`}
            >
              {each.label}
            </Link>
          ))}
        </nav>
        {Shown ? (
          <Sheet>
            <Shown />
          </Sheet>
        ) : (
          <Empty title="There are no such settings">Choose one of the list.</Empty>
        )}
      </div>
    </Page>
  );
}
