import type { Channel } from '@stoa/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { client } from '../data/client.js';
import { keys } from '../data/queries.js';
import { Mark, Row, Rows, Section } from './section.js';

/** All of them, the archived ones too: this is the way back to those. */
export function ChannelsSection() {
  const { data: channels, error } = useQuery({
    queryKey: [...keys.channels, 'all'],
    queryFn: async () => {
      const all: Channel[] = [];
      const pages = client.channels.list.pages({ limit: 200, archived: 'include' });
      for await (const page of pages) all.push(...page.channels);
      return all.sort((a, b) => a.title.localeCompare(b.title));
    },
  });
  return (
    <Section title="Channels" about="Their members, and how much agents may do there.">
      {channels?.length === 0 ? (
        <p className="text-[13px] text-soft">No channels yet. Create one on the left.</p>
      ) : (
        <Rows label="Channels" error={channels ? null : error}>
          {channels?.map(({ channelId, title, purpose, memberCount, paused, archivedAt }) => (
            <Row
              key={channelId}
              title={title}
              mark={
                <>
                  {paused ? <Mark look="warn">paused</Mark> : null}
                  {archivedAt === undefined ? null : <Mark>archived</Mark>}
                </>
              }
              about={[`${memberCount} ${memberCount === 1 ? 'member' : 'members'}`, purpose]
                .filter(Boolean)
                .join(' · ')}
            >
              <Link
                to={pathTo.timelinePage(channelId)}
                aria-label={`Timeline of ${title}`}
                className="rounded-md px-2 py-1 text-[13px] text-soft hover:bg-hover hover:text-ink"
              >
                Timeline
              </Link>
              <Link
                to={pathTo.channelSettingsPage(channelId)}
                aria-label={`Settings of ${title}`}
                className="rounded-md px-2 py-1 text-[13px] text-soft hover:bg-hover hover:text-ink"
              >
                Settings
              </Link>
            </Row>
          ))}
        </Rows>
      )}
    </Section>
  );
}
