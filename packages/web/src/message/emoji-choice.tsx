import { type KeyboardEvent, type RefObject, useRef } from 'react';
import { Popover } from '../ui/popover.js';

const EMOJIS: readonly (readonly [emoji: string, name: string])[] = [
  ['👍', 'thumbs up'],
  ['❤️', 'heart'],
  ['😄', 'laughing'],
  ['🎉', 'party'],
  ['👀', 'looking'],
  ['✅', 'done'],
  ['🙏', 'thanks'],
  ['🤔', 'thinking'],
  ['👎', 'thumbs down'],
  ['🚀', 'rocket'],
  ['💡', 'idea'],
  ['🔥', 'fire'],
  ['😕', 'confused'],
  ['❓', 'question'],
  ['⏳', 'waiting'],
  ['👋', 'wave'],
];

const IN_ROW = 8;

interface EmojiChoiceProps {
  readonly anchor: RefObject<HTMLElement | null>;
  readonly onChoose: (emoji: string) => void;
  readonly onClose: () => void;
}

/** The few that say something about a message; arrows move between them. */
export function EmojiChoice({ anchor, onChoose, onClose }: EmojiChoiceProps) {
  const grid = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons = [...(grid.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons.at((at + step) % buttons.length)?.focus();
  };
  return (
    <Popover label="React" anchor={anchor} onClose={onClose}>
      <div ref={grid} role="group" onKeyDown={move} className="grid grid-cols-8 gap-0.5">
        {EMOJIS.map(([emoji, name]) => (
          <button
            key={emoji}
            type="button"
            title={name}
            aria-label={name}
            onClick={() => onChoose(emoji)}
            className="flex size-8 items-center justify-center rounded text-lg hover:bg-hover focus-visible:bg-hover"
          >
            {emoji}
          </button>
        ))}
      </div>
    </Popover>
  );
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowLeft: -1,
  ArrowDown: IN_ROW,
  ArrowUp: -IN_ROW,
};
