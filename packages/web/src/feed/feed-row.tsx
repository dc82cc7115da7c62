import { memo } from 'react';
import type { ChannelMessages } from '../data/channel-messages.js';
import { DraftRow } from '../message/draft-row.js';
import { PendingRow } from '../message/pending-row.js';
import { QuotedRoot } from '../message/quoted-root.js';
import { TalkRow } from '../message/talk-row.js';
import { useToday } from '../ui/elapsed.js';
import { isSame } from '../ui/is-same.js';
import { Beginning } from './beginning.js';
import { dayName } from './days.js';
import type { Row } from './rows.js';

interface FeedRowProps {
  readonly row: Row;
  readonly channelId: string;
  readonly messages: ChannelMessages;
}

export const FeedRow = memo(
  function FeedRow({ row, channelId, messages }: FeedRowProps) {
    switch (row.kind) {
      case 'beginning':
        return <Beginning channelId={channelId} />;
      case 'day':
        return <DayLine at={row.at} />;
      case 'unread':
        return <UnreadLine />;
      case 'message':
        return (
          <TalkRow
            where="feed"
            message={row.message}
            isContinued={row.isContinued}
            before={
              row.quotesRoot ? <QuotedRoot message={row.message} messages={messages} /> : null
            }
          />
        );
      case 'pending':
        return <PendingRow pending={row.pending} isContinued={row.isContinued} />;
      case 'draft':
        return <DraftRow writing={row.writing} />;
    }
  },
  (a, b) => a.channelId === b.channelId && isSame(a.row, b.row),
);

function DayLine({ at }: { readonly at: number }) {
  return (
    <div className="flex items-center gap-3 px-4 pt-3 pb-1 text-xs font-medium text-faint">
      <span className="h-px grow bg-line" />
      <h2>{dayName(at, Date.parse(useToday()))}</h2>
      <span className="h-px grow bg-line" />
    </div>
  );
}

function UnreadLine() {
  return (
    <div className="flex items-center gap-3 px-4 py-1 text-xs font-semibold text-accent">
      <span className="h-px grow bg-accent opacity-50" />
      <h2>New</h2>
    </div>
  );
}
