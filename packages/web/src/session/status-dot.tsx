import type { Session } from '@stoa/protocol';

const DOTS: Readonly<Record<Session['status'], string>> = {
  idle: 'bg-line',
  busy: 'bg-accent motion-safe:animate-pulse',
  waiting: 'bg-warn',
  ended: 'border border-faint',
};

/** How a session is, at a glance; in words it stands beside it. */
export function StatusDot({ status }: { readonly status: Session['status'] }) {
  return <span className={`size-2 shrink-0 rounded-full ${DOTS[status]}`} />;
}
