import type { Session } from '@stoa/protocol';

const DOTS: Readonly<Record<Session['status'], string>> = {
  idle: 'bg-line',
  busy: 'bg-accent motion-safe:animate-pulse',
  waiting: 'bg-warn',
  ended: 'border border-faint',
};

/** The status of a session as a dot; a text beside it names the status. */
export function StatusDot({ status }: { readonly status: Session['status'] }) {
  return <span className={`size-2 shrink-0 rounded-full ${DOTS[status]}`} />;
}
