import { type ReactNode, useId } from 'react';

interface FieldProps {
  readonly label: string;
  /** Its purpose, in one line. */
  readonly hint?: ReactNode;
  /** What is wrong with it, beside it. */
  readonly problem?: string | undefined;
  /** Given the attributes that tie it to label, hint and problem. */
  readonly children: (attributes: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': true | undefined;
  }) => ReactNode;
}

export const INPUT =
  'h-8 w-full rounded-md border border-line bg-paper px-2.5 text-[13px] text-ink placeholder:text-faint aria-invalid:border-danger';

export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const isDescribed = hint !== undefined || problem !== undefined;
  return (
    <div className="space-y-1">
      <label htmlFor={id} className="block text-[13px] font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': isDescribed ? `${id}-about` : undefined,
        'aria-invalid': problem === undefined ? undefined : true,
      })}
      {isDescribed ? (
        <p
          id={`${id}-about`}
          className={`text-xs ${problem === undefined ? 'text-faint' : 'text-danger'}`}
        >
          {problem ?? hint}
        </p>
      ) : null}
    </div>
  );
}
