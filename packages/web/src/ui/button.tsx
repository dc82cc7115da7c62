import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';

type Look = 'plain' | 'primary' | 'danger' | 'quiet';

const LOOKS: Readonly<Record<Look, string>> = {
  plain: 'border border-line bg-raised text-ink hover:bg-hover',
  primary: 'bg-accent text-accent-ink hover:opacity-90',
  danger: 'border border-line bg-raised text-danger hover:bg-danger-wash',
  quiet: 'text-soft hover:bg-hover hover:text-ink',
};

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = 'plain', className = '', type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={`inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md px-3 text-[13px] font-medium whitespace-nowrap disabled:opacity-50 ${LOOKS[look]} ${className}`}
    />
  );
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'title'> {
  /** What it does: its name for screen readers, and what is shown when the pointer rests on it. */
  readonly label: string;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ label, className = '', type = 'button', ...rest }: IconButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      title={label}
      aria-label={label}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft pointer-coarse:size-9 hover:bg-hover hover:text-ink disabled:opacity-50 ${className}`}
    />
  );
}
