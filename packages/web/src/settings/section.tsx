import { type ReactNode, useId } from 'react';
import { isTemporary } from '../data/failures.js';
import { useConnection } from '../data/live.js';

interface SectionProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page of settings, with a heading of its own. */
export function Section({ title, about, action, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-b border-line py-6 first:pt-4 last:border-b-0">
      <div className="mb-4 flex items-start gap-3">
        <div className="min-w-0 grow">
          <h2 id={id} className="text-[15px] font-semibold">
            {title}
          </h2>
          {about === undefined ? null : <p className="mt-0.5 text-[13px] text-soft">{about}</p>}
        </div>
        <div className="shrink-0">{action}</div>
      </div>
      {children}
    </section>
  );
}

/** What is wrong with the whole of a form. */
export function FormProblem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p
      role="alert"
      className="rounded-md bg-danger-wash px-3 py-2 text-[13px] whitespace-pre-wrap text-danger"
    >
      {text}
    </p>
  );
}

/** The column that settings stand in: lines that are too long are not read. */
export function Sheet({ children }: { readonly children: ReactNode }) {
  return <div className="w-full max-w-2xl px-4 pb-10 wide:px-8">{children}</div>;
}

interface RowsProps {
  readonly label: string;
  /** Why they are not known. */
  readonly error?: Error | null;
  /** Undefined while they are not known. */
  readonly children: ReactNode;
}

/** Rows of things, each with what can be done about it. */
export function Rows({ label, error, children }: RowsProps) {
  const isAway = useConnection() === 'reconnecting';
  if (error && !isTemporary(error)) {
    return <FormProblem text={`This list cannot be loaded: ${error.message}`} />;
  }
  if (children === undefined) {
    if (!isAway && !error) return null;
    return (
      <p className="text-[13px] text-soft">
        The daemon does not answer. This list loads when it is back.
      </p>
    );
  }
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line">
      {children}
    </ul>
  );
}

interface RowProps {
  readonly title: ReactNode;
  readonly about?: ReactNode;
  readonly mark?: ReactNode;
  readonly children?: ReactNode;
}

export function Row({ title, about, mark, children }: RowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-3 py-2.5">
      <div className="min-w-40 grow basis-40">
        <p className="flex flex-wrap items-baseline gap-x-2 text-[13px] font-medium wrap-anywhere">
          {title}
          {mark}
        </p>
        {about === undefined ? null : <div className="text-xs break-words text-soft">{about}</div>}
      </div>
      {children === undefined ? null : <div className="flex items-center gap-1.5">{children}</div>}
    </li>
  );
}

export function Mark({
  children,
  look = 'plain',
}: {
  readonly children: ReactNode;
  readonly look?: 'plain' | 'good' | 'warn' | 'danger';
}) {
  const colour = {
    plain: 'bg-hover text-soft',
    good: 'bg-hover text-good',
    warn: 'bg-warn-wash text-warn',
    danger: 'bg-danger-wash text-danger',
  }[look];
  return (
    <span className={`rounded px-1.5 py-px text-[11px] font-medium whitespace-nowrap ${colour}`}>
      {children}
    </span>
  );
}
