import { type DecisionReader, decisionBehind, decisionWords, leaseHolders } from '@stoa/client';
import type { Message, StampedDecision } from '@stoa/protocol';
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.js';
import { useMembers } from '../data/queries.js';
import { momentOf, whenOf } from '../feed/days.js';
import { Dialog } from '../ui/dialog.js';

interface WhyDialogProps {
  readonly message: Message;
  readonly onClose: () => void;
}

/** The record of the decision that gave the author the turn, and of the others about this thread. */
export function WhyDialog({ message, onClose }: WhyDialogProps) {
  const { author, channelId, messageId, threadRootMessageId: root = messageId } = message;
  const { data: members } = useMembers(channelId);
  const { data, error } = useQuery({
    queryKey: ['decisions', channelId, root, 'behind', messageId],
    queryFn: () => decisionsUpTo(message, root),
  });
  const reader: DecisionReader = {
    names: new Map(members?.map(({ memberId, displayName }) => [memberId, displayName])),
    holders: leaseHolders(data ?? []),
    timeOf: (at) => whenOf(at),
    isBrief: true,
  };
  const behind = data && decisionBehind(data, message);
  const others = data?.filter((decision) => decision !== behind) ?? [];
  return (
    <Dialog title={`Why did ${author.displayName} speak?`} onClose={onClose} wide>
      {error ? <p className="text-danger">{error.message}</p> : null}
      {data && !behind ? (
        <p className="text-soft">
          No decision gave {author.displayName} a turn for this message: it was posted without a
          turn.
        </p>
      ) : null}
      {behind ? <Decision decision={behind} reader={reader} author={author.id} /> : null}
      {others.length > 0 ? (
        <details className="mt-4 border-t border-line pt-3">
          <summary className="cursor-pointer text-[13px] text-soft">
            {others.length === 1
              ? 'One more decision about this thread'
              : `${others.length} more decisions about this thread`}
          </summary>
          {others.map((decision) => (
            <div key={decision.seq} className="mt-4">
              <Decision decision={decision} reader={reader} author={author.id} />
            </div>
          ))}
        </details>
      ) : null}
    </Dialog>
  );
}

/** Newest first, back to the one that is asked for. */
async function decisionsUpTo(message: Message, root: string): Promise<readonly StampedDecision[]> {
  const decisions: StampedDecision[] = [];
  for await (const page of client.turns.decisions.pages(message.channelId, root)) {
    decisions.push(...page.decisions);
    if (decisionBehind(decisions, message)) break;
  }
  return decisions;
}

interface DecisionProps {
  readonly decision: StampedDecision;
  readonly reader: DecisionReader;
  readonly author: string;
}

const VERDICTS = {
  granted: 'got the turn',
  queued: 'is waiting',
  speaking: 'is already speaking',
  skipped: 'was skipped',
} as const;

function Decision({ decision, reader, author }: DecisionProps) {
  const { at } = decision;
  const { trigger, candidates, others, nobody, consequences } = decisionWords(decision, reader);
  const own = candidates.findIndex(
    ({ verdict }, index) =>
      verdict === 'granted' && author === `session:${decision.candidates[index]?.sessionId ?? ''}`,
  );
  const chosen = candidates[own];
  return (
    <section aria-label={trigger}>
      {chosen ? (
        <p className="mb-1 text-[15px]">
          <b>{chosen.name}</b> got the turn because it <b>{chosen.because}</b>.
        </p>
      ) : null}
      <p className="text-[13px] text-soft" title={momentOf(at)}>
        {whenOf(at)}: {trigger}.
      </p>
      {nobody === undefined ? null : <p className="text-[13px] text-soft">{nobody}</p>}
      {candidates.length > 0 ? (
        <ol className="my-2 divide-y divide-line rounded-md border border-line text-[13px]">
          {candidates.map(({ memberId, name, verdict, because, behindBy }, index) => (
            <li
              key={memberId}
              className={`grid grid-cols-[1.5rem_1fr] gap-x-1 px-2 py-1.5 wide:grid-cols-[1.5rem_10rem_9rem_1fr] ${index === own ? 'bg-accent-wash' : ''}`}
            >
              <span className="text-faint">{index + 1}</span>
              <span className="truncate font-medium">{name}</span>
              <span
                className={`col-start-2 wide:col-start-auto ${verdict === 'granted' ? 'text-good' : 'text-soft'}`}
              >
                {VERDICTS[verdict]}
              </span>
              <span className="col-start-2 text-soft wide:col-start-auto">
                {because}
                {behindBy === undefined ? null : (
                  <span className="text-faint"> · ranked below the previous one: {behindBy}</span>
                )}
              </span>
            </li>
          ))}
          {others.map((line) => (
            <li key={line} className="px-2 py-1.5 text-faint">
              and {line}
            </li>
          ))}
        </ol>
      ) : null}
      <ul className="text-[13px] text-soft">
        {consequences.map((line) => (
          <li key={line}>→ {line}</li>
        ))}
      </ul>
    </section>
  );
}
