import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { IconButton } from './button.js';
import { Icon } from './icon.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons, at the end. */
  readonly footer?: ReactNode;
  readonly wide?: boolean;
  /** For what is shown only once: neither Escape nor a click closes it, but the button that it brings. */
  readonly isKept?: boolean;
  /** For what has columns of its own: the height is fixed, and nothing is put around the content. */
  readonly isPane?: boolean;
}

const FIRST_FOCUS = '[data-first-focus], input:enabled, select:enabled, textarea:enabled';

/** The browser's own modal dialog: it holds the focus, closes with Escape, and gives the focus back. */
export function Dialog({
  title,
  onClose,
  children,
  footer,
  wide = false,
  isKept = false,
  isPane = false,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  /** A click that misses does not cost what was written. */
  const isWritten = useRef(false);
  // Before it is taken out of the page: then it would give the focus to nobody.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      // Otherwise it is the button that closes it.
      dialog.querySelector<HTMLElement>(FIRST_FOCUS)?.focus();
    }
    return () => dialog?.close();
  }, []);
  const close = (): void => {
    if (!isKept) onClose();
  };
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onKeyDown={(event) => {
        // Of a second Escape in a row the browser asks nobody.
        if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing)
          return;
        event.preventDefault();
        close();
      }}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onInput={() => {
        isWritten.current = true;
      }}
      onMouseDown={(event) => {
        if (event.target === ref.current && !isWritten.current) close();
      }}
      className={`m-auto max-h-[85dvh] ${isPane ? 'w-[calc(100%-1rem)]' : 'w-[calc(100%-2rem)]'} ${isPane ? 'max-w-5xl' : wide ? 'max-w-4xl' : 'max-w-lg'} overflow-hidden rounded-lg border border-line bg-raised p-0 text-ink shadow-raised backdrop:bg-[rgb(0_0_0/45%)]`}
    >
      <div className={`flex flex-col ${isPane ? 'h-[85dvh]' : 'max-h-[85dvh]'}`}>
        <header className="flex items-center gap-2 border-b border-line px-4 py-2.5">
          <h2 id={id} className="min-w-0 grow text-[15px] font-semibold wrap-anywhere">
            {title}
          </h2>
          {isKept ? null : (
            <IconButton label="Close" onClick={close}>
              <Icon name="close" />
            </IconButton>
          )}
        </header>
        <div className={`min-h-0 grow ${isPane ? 'flex flex-col' : 'overflow-y-auto px-4 py-3'}`}>
          {children}
        </div>
        {footer === undefined ? null : (
          <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-2.5">
            {footer}
          </footer>
        )}
      </div>
    </dialog>
  );
}
