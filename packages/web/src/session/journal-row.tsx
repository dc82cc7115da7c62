import { memo } from 'react';
import { momentOf, whenOf } from '../feed/days.js';
import { Attachment } from '../message/attachment.js';
import { Markdown } from '../message/markdown.js';
import { isSame } from '../ui/is-same.js';
import { CallView } from './call-view.js';
import type { AnswerRow, AskedRow, JournalRow, NoteRow } from './journal-rows.js';

export const JournalRowView = memo(
  function JournalRowView({ row }: { readonly row: JournalRow }) {
    switch (row.type) {
      case 'asked':
        return <Asked row={row} />;
      case 'answer':
        return <Answer row={row} />;
      case 'call':
        return <CallView call={row} />;
      case 'note':
        return <Note row={row} />;
    }
  },
  (a, b) => isSame(a.row, b.row),
);

interface SpeakerProps {
  readonly name: string;
  readonly note?: string | undefined;
  readonly at?: number;
}

export function Speaker({ name, note, at }: SpeakerProps) {
  return (
    <p className="flex items-baseline gap-2">
      <b className="font-semibold">{name}</b>
      {note === undefined ? null : <span className="text-xs text-faint">{note}</span>}
      {at === undefined ? null : (
        <time className="text-xs text-faint" title={momentOf(at)}>
          {whenOf(at)}
        </time>
      )}
    </p>
  );
}

const KINDS: Readonly<Record<AskedRow['kind'], string | undefined>> = {
  input: undefined,
  channel_delivery: 'from a channel',
  mailbox_delivery: 'from another session',
  task_notice: 'a task has ended',
  team_task: 'a project task',
  schedule: 'from a schedule',
  resume: 'resumed',
  system: 'from the daemon',
};

function Asked({ row }: { readonly row: AskedRow }) {
  const { from, kind, rule, items, isWaiting, at } = row;
  const notes = [
    KINDS[kind],
    rule === 'followup' ? undefined : rule,
    isWaiting ? 'waits until the run has ended' : undefined,
  ].filter((part) => part !== undefined);
  return (
    <div
      className={`mt-4 border-l-2 pl-3 ${isWaiting ? 'border-dashed border-line text-soft' : 'border-accent'}`}
    >
      <Speaker name={from} note={notes.length === 0 ? undefined : notes.join(', ')} at={at} />
      {items.map((item, index) =>
        item.type === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no names and never change their order.
          <Markdown key={index} text={item.text} />
        ) : (
          <Attachment key={item.assetId} assetId={item.assetId} />
        ),
      )}
    </div>
  );
}

function Answer({ row }: { readonly row: AnswerRow }) {
  const { name, text, reasoning, at } = row;
  return (
    <div className="mt-2">
      <Speaker name={name} at={at} />
      {reasoning === '' ? null : (
        <details className="text-[13px] text-soft">
          <summary className="cursor-pointer text-xs text-faint">Reasoning</summary>
          <p className="border-l border-line pl-3 whitespace-pre-wrap">{reasoning}</p>
        </details>
      )}
      {text === '' ? null : <Markdown text={text} />}
    </div>
  );
}

const TONES: Readonly<Record<NoteRow['tone'], string>> = {
  plain: 'text-faint',
  bad: 'text-danger',
};

function Note({ row }: { readonly row: NoteRow }) {
  return (
    <p className={`mt-1 text-xs break-words ${TONES[row.tone]}`} title={momentOf(row.at)}>
      {row.text}
    </p>
  );
}
