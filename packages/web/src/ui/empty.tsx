import type { ReactNode } from 'react';

/** Where there is nothing to show: what this is, and what to do. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="m-auto max-w-md p-8 text-center">
      <h1 className="mb-2 text-[15px] font-semibold">{title}</h1>
      <div className="text-[13px] text-soft">{children}</div>
    </div>
  );
}
