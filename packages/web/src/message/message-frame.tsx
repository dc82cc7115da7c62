import type { AuthorKind } from '@stoa/protocol';
import { type FocusEvent, type MouseEvent, type ReactNode, useState } from 'react';
import { clockOf, momentOf, timeOf, whenOf } from '../feed/days.js';
import { isByTouch } from '../ui/is-by-touch.js';

interface AuthorMarkProps {
  readonly kind: AuthorKind;
  readonly name: string;
}

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

interface MessageFrameProps {
  readonly author: { readonly kind: AuthorKind; readonly displayName: string };
  readonly at?: number | undefined;
  readonly isContinued?: boolean;
  readonly isReply?: boolean;
  /** Whether no line above says of which day it is. */
  readonly isDated?: boolean;
  /** Content above the text, such as the root of a reply. */
  readonly before?: ReactNode;
  /** Behind the name: edited, writing, on its way. */
  readonly remark?: ReactNode;
  /** Buttons that are shown while the pointer or the focus is on the message. */
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly id?: string | undefined;
  readonly children: ReactNode;
}

/** How anything that somebody says looks: who and when in the margin, and what beside it. */
export function MessageFrame(props: MessageFrameProps) {
  const { author, at, isContinued = false, isReply = false, isDated = false } = props;
  const { before, remark, actions } = props;
  const { isHeld, ...holding } = useHeld();
  return (
    <article
      aria-label={at === undefined ? author.displayName : `${author.displayName}, ${timeOf(at)}`}
      data-message-id={props.id}
      // What can be acted on can be reached with the keyboard.
      tabIndex={actions ? 0 : undefined}
      onClick={actions ? showByTouch : undefined}
      {...holding}
      className={`group relative px-3 hover:bg-hover wide:px-4 ${isContinued ? 'py-0.5' : 'pt-2 pb-0.5'} ${props.className ?? ''}`}
    >
      {actions === undefined || actions === null ? null : (
        // Of a message that is higher than the screen they stay where one looks.
        <div className="sticky top-6 z-10 h-0">
          <div
            className={`absolute right-0 ${isContinued ? '-top-3.5' : '-top-5'} ${isHeld ? 'flex' : 'hidden'} rounded-md border border-line bg-raised shadow-raised group-hover:flex pointer-coarse:group-focus-within:flex`}
          >
            {actions}
          </div>
        </div>
      )}
      {before}
      <div className={`flex gap-2.5 ${isReply ? 'border-l-2 border-line pl-2.5 wide:ml-2' : ''}`}>
        <div className="w-7 shrink-0">
          {isContinued ? null : <AuthorMark kind={author.kind} name={author.displayName} />}
          {isContinued && at !== undefined ? (
            <span className="invisible flex justify-center pt-px text-[10px] leading-5 whitespace-nowrap group-hover:visible">
              <When at={at} written={clockOf} />
            </span>
          ) : null}
        </div>
        <div className="min-w-0 max-w-[54rem] grow">
          {isContinued ? null : (
            <header className="flex items-baseline gap-2">
              <span className="truncate font-semibold">{author.displayName}</span>
              {author.kind === 'agent' ? <span className="text-xs text-accent">agent</span> : null}
              {at === undefined ? null : (
                <span className="shrink-0 text-xs">
                  <When at={at} written={isDated ? whenOf : timeOf} />
                </span>
              )}
              {remark}
            </header>
          )}
          {isContinued ? <div className="float-right pl-2">{remark}</div> : null}
          {props.children}
        </div>
      </div>
    </article>
  );
}

/**
 * Whether the keyboard is in a message, or in a dialog that was opened from there and gives the focus back. Not by
 * `:focus-visible` alone, which holds for nothing while the focus moves on: what it would show is gone before the focus
 * can go there.
 */
function useHeld() {
  const [isHeld, setHeld] = useState(false);
  return {
    isHeld,
    onFocus: ({ currentTarget, target }: FocusEvent): void =>
      setHeld(target.matches(':focus-visible') || !currentTarget.contains(target)),
    // Who came with the pointer may go on with the keys.
    onKeyDown: (): void => setHeld(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent): void => {
      if (!currentTarget.contains(relatedTarget)) setHeld(false);
    },
  };
}

/** A finger does not hover: the message that it taps has the focus, and with that its buttons. */
function showByTouch({ currentTarget, target }: MouseEvent<HTMLElement>): void {
  const isForOther =
    target instanceof Element && target.closest('a, button, input, textarea, summary');
  if (isByTouch() && !isForOther) currentTarget.focus({ preventScroll: true });
}

interface WhenProps {
  readonly at: number;
  readonly written: (at: number) => string;
}

function When({ at, written }: WhenProps) {
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={momentOf(at)}
      className="shrink-0 text-faint"
    >
      {written(at)}
    </time>
  );
}

/** People are round, agents are square, so that both are distinguishable regardless of their names. */
function AuthorMark({ kind, name }: AuthorMarkProps) {
  const shape = kind === 'human' ? 'rounded-full' : 'rounded-md';
  const look =
    kind === 'agent' ? 'border border-accent text-accent' : 'border border-line bg-panel text-soft';
  return (
    <span
      aria-hidden="true"
      className={`flex size-7 items-center justify-center text-xs font-semibold ${shape} ${look}`}
    >
      {initialOf(name)}
    </span>
  );
}

function initialOf(name: string): string {
  const [first] = letters.segment(name);
  return first?.segment.toUpperCase() ?? '';
}
