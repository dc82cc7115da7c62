import { type ReactNode, type SubmitEvent, useEffect, useRef } from 'react';
import { type FormProblems, summaryOf } from './problems.js';

interface FormProps {
  readonly id?: string;
  readonly problems: FormProblems;
  readonly isDisabled: boolean;
  readonly onSubmit: () => void;
  readonly onInput?: () => void;
  readonly className: string;
  readonly children: ReactNode;
}

/** What the daemon or the page refuses is shown where it is: the first field that is not right has the focus. */
export function Form({
  id,
  problems,
  isDisabled,
  onSubmit,
  onInput,
  className,
  children,
}: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const isAsked = useRef(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isDisabled) return;
    isAsked.current = true;
    onSubmit();
  };
  useEffect(() => {
    if (!isAsked.current || Object.keys(problems.fields).length === 0) return;
    isAsked.current = false;
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid]');
    field?.focus({ preventScroll: true });
    field?.scrollIntoView({ block: 'center' });
  }, [problems]);
  return (
    <form
      ref={form}
      id={id}
      onSubmit={submit}
      onInput={() => {
        // Who goes on writing is not taken elsewhere.
        isAsked.current = false;
        onInput?.();
      }}
      className={className}
      noValidate
    >
      {children}
    </form>
  );
}

/** What is not right with it, beside its button. */
export function FormSays({ problems }: { readonly problems: FormProblems }) {
  const text = summaryOf(problems);
  if (text === undefined) return null;
  return (
    <p
      role="alert"
      className="max-h-24 min-w-40 grow basis-40 overflow-y-auto text-[13px] wrap-anywhere whitespace-pre-wrap text-danger"
    >
      {text}
    </p>
  );
}
