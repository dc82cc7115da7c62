import { type ReactNode, useEffect, useRef } from 'react';

interface ChoiceListProps {
  readonly label: string;
  readonly chosen: string | undefined;
  readonly children: ReactNode;
}

/** The list of a dialog that shows one of many: it has the focus, and the keys are those of the dialog. */
export function ChoiceList({ label, chosen, children }: ChoiceListProps) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: to be done whenever another is chosen.
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <div
      ref={list}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      data-first-focus="true"
      aria-activedescendant={chosen === undefined ? undefined : optionId(chosen)}
      className="group/list max-h-[30%] shrink-0 short:max-h-24 overflow-y-auto border-b border-line bg-panel py-2 outline-none wide:max-h-none wide:w-72 wide:border-r wide:border-b-0"
    >
      {children}
    </div>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  /** Whether it is about to go. */
  readonly isFaint?: boolean;
  readonly children: ReactNode;
}

export function Choice({ id, isChosen, onChoose, isFaint = false, children }: ChoiceProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the dialog.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and says which one is active.
    <div
      id={optionId(id)}
      role="option"
      aria-selected={isChosen}
      onClick={onChoose}
      className={`cursor-pointer border-l-2 px-3 py-1 ${isChosen ? 'border-accent bg-hover group-focus-visible/list:bg-accent-wash' : 'border-transparent hover:bg-hover'} ${isFaint ? 'opacity-60' : ''}`}
    >
      {children}
    </div>
  );
}

const optionId = (id: string): string => `choice-${id}`;
