import type { Member } from '@stoa/protocol';
import { type AriaAttributes, type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Writing } from './composer.js';
import { completed, type Mention, mentionAt, suggested } from './mention.js';

interface Suggestions {
  readonly mention: Mention;
  readonly caret: number;
  readonly members: readonly Member[];
}

interface Mentions {
  readonly list: (writing: Writing) => ReactNode;
  readonly attributes: (writing: Writing) => AriaAttributes;
  /** Whether the key was for the list. */
  readonly press: (event: KeyboardEvent<HTMLTextAreaElement>, writing: Writing) => boolean;
}

/** Suggests members while an `@` is written; the text keeps the focus, the arrows choose. */
export function useMentions(members: readonly Member[]): Mentions {
  const id = useId();
  const [chosen, setChosen] = useState(0);
  /** An `@` whose suggestions were dismissed. */
  const [dismissed, setDismissed] = useState<number>();
  const suggestionsOf = ({ text, area, isFocused }: Writing): Suggestions | undefined => {
    if (!isFocused) return undefined;
    const caret = area.current?.selectionStart ?? text.length;
    const mention = mentionAt(text, caret);
    if (!mention || mention.from === dismissed) return undefined;
    const fitting = suggested(members, mention.query);
    return fitting.length === 0 ? undefined : { mention, caret, members: fitting };
  };
  const take = (writing: Writing, { mention, caret }: Suggestions, member: Member): void => {
    const next = completed(writing.text, caret, mention, member, members);
    flushSync(() => writing.setText(next.text));
    setChosen(0);
    const area = writing.area.current;
    area?.focus();
    area?.setSelectionRange(next.caret, next.caret);
  };
  const at = ({ members: shown }: Suggestions): number => Math.min(chosen, shown.length - 1);
  return {
    attributes: (writing) => {
      const found = suggestionsOf(writing);
      return {
        'aria-autocomplete': 'list',
        'aria-controls': found ? id : undefined,
        'aria-activedescendant': found ? `${id}-${at(found)}` : undefined,
      };
    },
    press: (event, writing) => {
      const found = suggestionsOf(writing);
      if (!found) {
        if (dismissed !== undefined && !writing.text.includes('@')) setDismissed(undefined);
        return false;
      }
      const count = found.members.length;
      switch (event.key) {
        case 'ArrowDown':
        case 'ArrowUp':
          setChosen((at(found) + (event.key === 'ArrowDown' ? 1 : count - 1)) % count);
          break;
        case 'Enter':
        case 'Tab': {
          const member = found.members[at(found)];
          if (event.shiftKey || !member) return false;
          take(writing, found, member);
          break;
        }
        case 'Escape':
          setDismissed(found.mention.from);
          break;
        default:
          return false;
      }
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
    list: (writing) => {
      const found = suggestionsOf(writing);
      if (!found) return null;
      return (
        <div
          id={id}
          role="listbox"
          aria-label="Members"
          className="absolute bottom-full left-3 z-20 mb-1 w-72 max-w-[calc(100%-1.5rem)] wide:left-4 rounded-md border border-line bg-raised py-1 shadow-raised"
        >
          {found.members.map((member, index) => (
            <div
              key={member.memberId}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at(found)}
              onMouseDown={(event) => {
                event.preventDefault();
                take(writing, found, member);
              }}
              className={`flex cursor-pointer items-baseline gap-2 px-3 py-1 text-[13px] hover:bg-hover ${index === at(found) ? 'bg-accent-wash' : ''}`}
            >
              <span className="truncate font-medium">{member.displayName}</span>
              <span className="truncate text-xs text-faint">
                {member.role ?? (member.memberKind === 'session' ? 'agent' : 'person')}
              </span>
            </div>
          ))}
        </div>
      );
    },
  };
}
