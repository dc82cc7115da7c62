import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../ui/icon.js';
import { type Entry, fitting, inSections } from './entries.js';
import type { PaletteMode } from './palette-state.js';
import { useDestinations, useFoundMessages } from './use-entries.js';

const SETTLED_MS = 120;

interface PaletteProps {
  readonly mode: PaletteMode;
  readonly onClose: () => void;
}

const PLACEHOLDERS = {
  all: 'Go to a channel or session, run an action, or search messages',
  messages: 'Search messages',
} as const;

/** One line to type in; arrows choose, Enter goes there, Escape closes. */
export function Palette({ mode, onClose }: PaletteProps) {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const destinations = useDestinations();
  const settled = useSettled(query.trim());
  const search = useFoundMessages(settled);
  // What was found for other words is not what Enter is pressed for.
  const found = settled === query.trim() ? search.entries : [];
  const shown = [...(mode === 'all' ? fitting(destinations, query) : []), ...found];
  const at = Math.max(0, Math.min(chosen, shown.length - 1));
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // Before it is taken out of the page: then it would give the focus to nobody.
  useLayoutEffect(() => {
    const { current } = dialog;
    if (current && !current.open) current.showModal();
    return () => current?.close();
  }, []);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });
  const take = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const count = shown.length;
    if (event.key === 'Enter') take(shown[at]);
    else if (event.key === 'ArrowDown' && count > 0) setChosen((at + 1) % count);
    else if (event.key === 'ArrowUp' && count > 0) setChosen((at + count - 1) % count);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      aria-label={mode === 'all' ? 'Command palette' : 'Search'}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      className="mx-auto mt-[12dvh] mb-auto max-h-[70dvh] w-[calc(100%-2rem)] max-w-xl overflow-hidden rounded-lg border border-line bg-raised p-0 text-ink shadow-raised backdrop:bg-[rgb(0_0_0/35%)]"
    >
      <div className="flex max-h-[70dvh] flex-col">
        <div className="flex items-center gap-2 border-b border-line px-3">
          <Icon name="search" className="text-faint" />
          <input
            role="combobox"
            aria-label={PLACEHOLDERS[mode]}
            aria-expanded={shown.length > 0}
            aria-controls={id}
            aria-activedescendant={shown.length > 0 ? `${id}-${at}` : undefined}
            aria-autocomplete="list"
            placeholder={PLACEHOLDERS[mode]}
            value={query}
            maxLength={200}
            onChange={({ target }) => {
              setQuery(target.value);
              setChosen(0);
            }}
            onKeyDown={press}
            className="h-11 min-w-0 grow bg-transparent text-[15px] outline-none placeholder:text-faint"
          />
        </div>
        <div
          ref={list}
          id={id}
          role="listbox"
          aria-label="Results"
          className="min-h-0 grow overflow-y-auto p-1.5"
        >
          {[...inSections(shown)].map(([section, entries]) => (
            <div key={section} role="group" aria-label={section} className="mb-1">
              <p aria-hidden="true" className="px-2 py-1 text-xs font-semibold text-faint">
                {section}
              </p>
              {entries.map((entry) => {
                const index = shown.indexOf(entry);
                return (
                  <Option
                    key={entry.key}
                    id={`${id}-${index}`}
                    entry={entry}
                    isChosen={index === at}
                    onTake={() => take(entry)}
                  />
                );
              })}
            </div>
          ))}
        </div>
        <Nothing
          query={query.trim()}
          count={shown.length}
          isSearching={search.isSearching || settled !== query.trim()}
          problem={search.problem}
        />
      </div>
    </dialog>
  );
}

interface OptionProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isChosen: boolean;
  readonly onTake: () => void;
}

function Option({ id, entry, isChosen, onTake }: OptionProps) {
  const isMessage = entry.section === 'Messages';
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      // The click must not take the focus out of the line before it is a click.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onTake}
      className={`flex cursor-pointer overflow-hidden rounded-md px-2 py-1.5 text-[13px] hover:bg-hover ${isChosen ? 'bg-accent-wash' : ''} ${isMessage ? 'flex-col' : 'items-baseline gap-3'}`}
    >
      {/* What it is called is seen as far as there is room at all; what helps to tell it has the rest. */}
      <span dir="auto" className="max-w-full shrink-0 truncate">
        {entry.pieces?.map(({ text, isHit }, index) =>
          isHit ? (
            // Only the index distinguishes pieces, and all are created again when one changes.
            <mark key={index} className="bg-transparent font-semibold text-accent">
              {text}
            </mark>
          ) : (
            text
          ),
        ) ?? entry.title}
      </span>
      {entry.hint === undefined ? null : (
        <span
          className={`max-w-full min-w-0 truncate text-xs text-faint ${isMessage ? '' : 'grow text-end'}`}
        >
          {entry.hint}
        </span>
      )}
    </div>
  );
}

interface NothingProps {
  readonly query: string;
  readonly count: number;
  readonly isSearching: boolean;
  readonly problem: string | undefined;
}

function Nothing({ query, count, isSearching, problem }: NothingProps) {
  const text =
    problem ?? (count > 0 || query === '' ? undefined : isSearching ? 'Searching…' : 'No results.');
  return (
    <p role="status" className={`px-4 text-[13px] text-soft ${text === undefined ? '' : 'pb-3'}`}>
      {text}
    </p>
  );
}

/** What was typed, once the fingers rest: nobody is asked about every letter. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
