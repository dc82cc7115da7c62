import type { Member, Message, Reaction } from '@stoa/protocol';
import { toggleReaction } from './react.js';

interface ReactionsProps {
  readonly message: Message;
  readonly me: string;
  readonly members: readonly Member[] | undefined;
}

export function Reactions({ message, me, members }: ReactionsProps) {
  if (message.reactions.length === 0) return null;
  return (
    <div className="mt-1 flex flex-wrap gap-1">
      {message.reactions.map((reaction) => {
        const { emoji, count, actorIds } = reaction;
        const isMine = actorIds.includes(me);
        const who = namesOf(reaction, me, members);
        return (
          <button
            key={emoji}
            type="button"
            aria-pressed={isMine}
            aria-label={`${emoji} ${count}: ${who}`}
            title={who}
            onClick={() => void toggleReaction(message, emoji, me)}
            className={`flex h-6 items-center gap-1 rounded-full border px-2 text-xs ${isMine ? 'border-accent bg-accent-wash text-accent' : 'border-line bg-raised text-soft hover:bg-hover'}`}
          >
            <span className="text-sm leading-none">{emoji}</span>
            {count}
          </button>
        );
      })}
    </div>
  );
}

/** Lists as many names as the daemon sent; the rest are counted. */
function namesOf(
  { actorIds, count }: Reaction,
  me: string,
  members: readonly Member[] | undefined,
): string {
  const names = actorIds.map((id) =>
    id === me ? 'you' : (members?.find(({ actorId }) => actorId === id)?.displayName ?? id),
  );
  const rest = count - actorIds.length;
  return [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}
