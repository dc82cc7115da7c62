import type { Approval } from '@stoa/protocol';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.js';
import { INPUT } from '../ui/field.js';
import { Kbd } from '../ui/kbd.js';
import { visibleText } from '../ui/visible-text.js';

interface QuestionFormProps {
  readonly options: NonNullable<Approval['options']>;
  /** Whether the reader has asked to write. */
  readonly isWriting: boolean;
  readonly onAnswer: (text: string) => void;
}

/** One of the answers that were offered, or one's own words. */
export function QuestionForm({ options, isWriting, onAnswer }: QuestionFormProps) {
  const [text, setText] = useState('');
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isWriting) box.current?.focus();
    else box.current?.blur();
  }, [isWriting]);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') onAnswer(text);
  };
  return (
    <>
      {options.length === 0 ? null : (
        <ol aria-label="Answers" className="space-y-1">
          {options.map(({ label, description }, at) => (
            <li key={label}>
              <button
                type="button"
                onClick={() => onAnswer(label)}
                className="flex w-full items-baseline gap-2 rounded-md border border-line px-3 py-1.5 text-left text-[13px] hover:bg-hover"
              >
                <Kbd>{String(at + 1)}</Kbd>
                <span>{visibleText(label)}</span>
                {description === undefined ? null : (
                  <span className="text-xs text-faint">{visibleText(description)}</span>
                )}
              </button>
            </li>
          ))}
        </ol>
      )}
      <form onSubmit={submit} className="flex gap-2">
        <input
          ref={box}
          aria-label="Your answer"
          placeholder="Your answer"
          className={INPUT}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button look="primary" type="submit" disabled={text.trim() === ''}>
          Answer
        </Button>
      </form>
    </>
  );
}
