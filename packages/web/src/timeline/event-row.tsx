import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { clockTime } from './clock.js';
import { stimulusKindText } from './stimulus-words.js';
import type { ChannelEntry, StimulusEntry, WorkEntry } from './story.js';

interface EventRowProps {
  readonly channelId: string;
  readonly entry: StimulusEntry | WorkEntry | ChannelEntry;
}

/** Entries other than turns: a stimulus and its outcome, thread work, the channel itself. */
export function EventRow({ channelId, entry }: EventRowProps) {
  return (
    <div className="flex gap-3 rounded-lg border border-line px-3 py-2 text-[13px]">
      <time
        dateTime={new Date(entry.at).toISOString()}
        className="w-16 shrink-0 pt-px text-xs text-faint tabular-nums"
      >
        {clockTime(entry.at)}
      </time>
      <div className="min-w-0 grow">
        {entry.kind === 'stimulus' ? <StimulusNews channelId={channelId} entry={entry} /> : null}
        {entry.kind === 'work' ? <WorkNews channelId={channelId} entry={entry} /> : null}
        {entry.kind === 'channel' ? <p className="text-soft">{entry.news}</p> : null}
      </div>
    </div>
  );
}

const LINK = 'text-accent underline decoration-line underline-offset-2 hover:decoration-current';

function StimulusNews({
  channelId,
  entry,
}: {
  readonly channelId: string;
  readonly entry: StimulusEntry;
}) {
  const { stimulusKind, content, steps, messageId } = entry;
  return (
    <>
      <p>
        <Kind>Stimulus</Kind> {stimulusKindText(stimulusKind)}
        {content === undefined ? null : <span className="text-soft">: {content}</span>}
      </p>
      <ul className="text-xs text-soft">
        {steps.map(({ at, text }) => (
          <li key={`${at}-${text}`}>
            <span className="text-faint tabular-nums">{clockTime(at)}</span> {text}
            {text === 'posted' && messageId !== undefined ? (
              <>
                {', '}
                <Link to={pathTo.messagePage(channelId, messageId)} className={LINK}>
                  see it
                </Link>
              </>
            ) : null}
          </li>
        ))}
      </ul>
    </>
  );
}

function WorkNews({ channelId, entry }: { readonly channelId: string; readonly entry: WorkEntry }) {
  const { rootMessageId, opening, news } = entry;
  return (
    <>
      <p className="truncate">
        <Kind>Work</Kind>{' '}
        <Link to={pathTo.messagePage(channelId, rootMessageId)} className={LINK}>
          {opening ? `${opening.author}: ${opening.text}` : 'a thread'}
        </Link>
      </p>
      {news.map((line) => (
        <p key={line} className="text-soft">
          {line}
        </p>
      ))}
    </>
  );
}

function Kind({ children }: { readonly children: string }) {
  return (
    <span className="mr-1 rounded bg-hover px-1.5 py-px text-[11px] font-medium text-soft">
      {children}
    </span>
  );
}
