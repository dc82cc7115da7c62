import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from './button.js';

interface MenuItem {
  readonly label: string;
  readonly onSelect: () => void;
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  /** Of one that is among a few to choose from. */
  readonly isChosen?: boolean;
  readonly disabled?: boolean;
}

interface MenuProps {
  readonly label: string;
  /** What the button shows. */
  readonly children: ReactNode;
  readonly items: readonly MenuItem[];
  readonly above?: boolean;
}

const ITEMS = '[role^=menuitem]:not(:disabled)';

/** A button that opens a list of things to do; arrows move in it, Escape closes it. */
export function Menu({ label, children, items, above = false }: MenuProps) {
  const [open, setOpen] = useState(false);
  const around = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!open) return undefined;
    around.current?.querySelector<HTMLElement>(ITEMS)?.focus();
    const outside = (event: PointerEvent): void => {
      if (!around.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [open]);
  const move = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
      return;
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const entries = [...(around.current?.querySelectorAll<HTMLElement>(ITEMS) ?? [])];
    const at = entries.indexOf(document.activeElement as HTMLElement);
    entries.at((at + step) % entries.length)?.focus();
  };
  return (
    <div ref={around} className="relative inline-flex">
      <IconButton
        ref={button}
        label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {children}
      </IconButton>
      {open ? (
        <div
          id={id}
          role="menu"
          aria-label={label}
          tabIndex={-1}
          onKeyDown={move}
          onBlur={({ relatedTarget }) => {
            if (!around.current?.contains(relatedTarget)) setOpen(false);
          }}
          className={`absolute right-0 z-30 min-w-44 rounded-md border border-line bg-raised py-1 shadow-raised ${above ? 'bottom-full mb-1' : 'top-full mt-1'}`}
        >
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role={item.isChosen === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={item.isChosen}
              disabled={item.disabled}
              onClick={() => {
                close();
                item.onSelect();
              }}
              className={`flex w-full items-center gap-2 px-3 py-1.5 text-left text-[13px] hover:bg-hover focus-visible:bg-hover disabled:opacity-50 ${item.danger === true ? 'text-danger' : ''}`}
            >
              {item.icon}
              {item.label}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
