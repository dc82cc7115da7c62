import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
} from 'react';

interface PopoverProps {
  readonly label: string;
  readonly anchor: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const MARGIN = 8;

/** Something small beside a button, above all else on the page; a click elsewhere and Escape close it. */
export function Popover({ label, anchor, onClose, children }: PopoverProps) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = ref;
    if (!current || !anchor.current) return undefined;
    if (!current.matches(':popover-open')) current.showPopover();
    position(current, anchor.current.getBoundingClientRect());
    const before = document.activeElement;
    current.querySelector<HTMLElement>('button, [href], input')?.focus();
    return () => {
      // Who came with the keyboard goes on where they were.
      if (before instanceof HTMLElement && current.contains(document.activeElement)) before.focus();
    };
  }, [anchor]);
  const closed = useEffectEvent(onClose);
  useEffect(() => {
    const { current } = ref;
    const toggled = (event: ToggleEvent): void => {
      if (event.newState === 'closed') closed();
    };
    current?.addEventListener('toggle', toggled);
    return () => current?.removeEventListener('toggle', toggled);
  }, []);
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    event.preventDefault();
    onClose();
  };
  return (
    <div
      ref={ref}
      popover="auto"
      role="dialog"
      aria-label={label}
      onKeyDown={press}
      className="fixed inset-auto m-0 rounded-md border border-line bg-raised p-1 text-ink shadow-raised"
    >
      {children}
    </div>
  );
}

/** Above where there is room, else below, and never over an edge of the window. */
function position(popover: HTMLElement, anchor: DOMRect): void {
  const { width, height } = popover.getBoundingClientRect();
  const above = anchor.top - height - MARGIN / 2;
  const top = above > MARGIN ? above : anchor.bottom + MARGIN / 2;
  const left = Math.min(anchor.right - width, innerWidth - width - MARGIN);
  popover.style.top = `${top}px`;
  popover.style.left = `${Math.max(left, MARGIN)}px`;
}
