import type { InboxItem } from '@stoa/protocol';
import { textWithAssets } from '@stoa/protocol/constants';
import { useMutation } from '@tanstack/react-query';
import { client } from '../data/client.js';
import { momentOf, whenOf } from '../feed/days.js';
import { Button } from '../ui/button.js';
import { toast } from '../ui/toast.js';
import { Nothing } from './nothing.js';
import { useSessionInbox } from './use-session.js';

const TONES: Readonly<Record<InboxItem['state'], string>> = {
  waiting: 'text-warn',
  delivered: 'text-good',
  dropped: 'text-faint',
  dead_letter: 'text-danger',
};

export function InboxTab({ sessionId }: { readonly sessionId: string }) {
  const { data: items } = useSessionInbox(sessionId);
  if (items?.length === 0) return <Nothing>The inbox is empty.</Nothing>;
  return (
    <ol aria-label="Inbox" className="divide-y divide-line">
      {items?.map((item) => (
        <ItemRow key={item.itemId} item={item} />
      ))}
    </ol>
  );
}

function ItemRow({ item }: { readonly item: InboxItem }) {
  const { itemId, fromName, kind, appliedRule, rule, state, reason, createdAt, subject } = item;
  const replay = useMutation({
    mutationFn: () => client.items.replay(itemId),
    onError: toast.problem,
  });
  const became = appliedRule === rule ? rule : `${rule}, applied as ${appliedRule}`;
  return (
    <li className="py-2 text-[13px]">
      <p className="flex items-baseline gap-2">
        <span className="truncate font-medium">{fromName}</span>
        <span className={`shrink-0 text-xs ${TONES[state]}`}>{state.replaceAll('_', ' ')}</span>
        <time className="ml-auto shrink-0 text-xs text-faint" title={momentOf(createdAt)}>
          {whenOf(createdAt)}
        </time>
      </p>
      <p className="line-clamp-3 break-words whitespace-pre-wrap text-soft">
        {subject ?? textWithAssets(item.inputItems, () => 'an attachment')}
      </p>
      <p className="text-xs text-faint">
        {kind.replaceAll('_', ' ')} · {became}
        {reason === undefined ? '' : ` · ${reason.replaceAll('_', ' ')}`}
      </p>
      {state === 'dead_letter' ? (
        <Button className="mt-1 h-7" disabled={replay.isPending} onClick={() => replay.mutate()}>
          Replay
        </Button>
      ) : null}
    </li>
  );
}
