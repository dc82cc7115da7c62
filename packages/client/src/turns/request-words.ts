import type { InboxItem, Run } from '@stoa/protocol';

type Requested = Pick<Run, 'requestedBy' | 'ceiling'>;

/** Who asked for a run and its limit: `human:bob, at most mode ask`. Undefined if it is not recorded. */
export function requestWords({ requestedBy, ceiling }: Requested): string | undefined {
  if (requestedBy === undefined) return undefined;
  if (ceiling === undefined) return requestedBy;
  const { mode, people, sessions } = ceiling;
  const others = [...people, ...sessions].filter(
    (who) => who !== requestedBy && `session:${who}` !== requestedBy,
  );
  const through = others.length === 0 ? '' : ` (through ${others.join(', ')})`;
  return `${requestedBy}${through}, at most mode ${mode}`;
}

type Sent = Pick<InboxItem, 'from' | 'fromName' | 'requestedBy' | 'ceiling'>;

/** The name of a sender, with the id of the requester if that is somebody else or limits the run. */
export function senderWords({ from, fromName, requestedBy = from, ceiling }: Sent): string {
  if (requestedBy === from && ceiling === undefined) return fromName;
  return `${fromName} (asked by ${requestWords({ requestedBy, ceiling }) ?? from})`;
}
