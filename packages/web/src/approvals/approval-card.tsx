import { requestWords } from '@stoa/client';
import type { Approval } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { type RefObject, useImperativeHandle } from 'react';
import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { client } from '../data/client.js';
import { useSessions } from '../data/queries.js';
import { elapsedText, useNow } from '../ui/elapsed.js';
import { Icon } from '../ui/icon.js';
import { visibleText } from '../ui/visible-text.js';
import { ApprovalSubject } from './approval-subject.js';
import { type CardAct, type CardMode, cardKeys } from './card-keys.js';
import { DenyForm } from './deny-form.js';
import { EditForm } from './edit-form.js';
import { QuestionForm } from './question-form.js';
import { ToolButtons } from './tool-buttons.js';

/** What the keys of the dialog do to the card that is shown; says whether it took the key. */
export type CardKeys = (key: string) => boolean;

interface ApprovalCardProps {
  readonly approval: Approval;
  readonly mode: CardMode;
  readonly setMode: (mode: CardMode) => void;
  readonly keys: RefObject<CardKeys | undefined>;
  readonly onRespond: (how: () => Promise<Approval>) => Promise<void>;
  readonly onClose: () => void;
}

/** One question with everything a decision rests on: nothing is cut. */
export function ApprovalCard({
  approval,
  mode,
  setMode,
  keys,
  onRespond,
  onClose,
}: ApprovalCardProps) {
  const { approvalId, kind, inputHash, suggestedRule, options = [], state } = approval;
  const respond = useMutation({ mutationFn: onRespond });
  const { approvals } = client;
  const isOpen = state === 'pending' && !respond.isPending;
  const send = (how: () => Promise<Approval>): void => {
    if (isOpen) respond.mutate(how);
  };
  const allow = (scope: 'once' | 'session' | 'workspace'): void =>
    send(() => approvals.allow(approvalId, { scope, inputHash }));
  const answer = (text: string): void => send(() => approvals.answer(approvalId, text));
  const carryOut = (act: CardAct): void => {
    if (act.type === 'mode') setMode(act.mode);
    else if (act.type === 'allow') allow(act.scope);
    else answer(act.text);
  };
  useImperativeHandle<CardKeys | undefined, CardKeys>(keys, () => (key) => {
    if (key === 'Escape' && mode !== 'look') {
      setMode('look');
      return true;
    }
    if (!isOpen || mode === 'deny') return false;
    const found = cardKeys(approval).find((each) => each.key === key);
    if (found) carryOut(found.act);
    return found !== undefined;
  });
  const look = (): void => setMode('look');
  return (
    <section aria-label={approval.title} className="flex min-h-0 min-w-0 grow flex-col">
      <div className="flex min-h-0 grow flex-col gap-3 overflow-y-auto px-4 py-3">
        <Heading approval={approval} onClose={onClose} />
        {kind === 'tool' ? (
          <ApprovalSubject approval={approval} isFolded={mode === 'edit'} />
        ) : null}
      </div>
      <div className="space-y-2 border-t border-line px-4 py-2.5">
        {respond.error ? (
          <p role="alert" className="text-[13px] text-danger">
            {respond.error.message}
          </p>
        ) : null}
        {state === 'pending' ? null : <Settled approval={approval} />}
        {state !== 'pending' ? null : kind === 'question' ? (
          <QuestionForm options={options} isWriting={mode === 'edit'} onAnswer={answer} />
        ) : mode === 'edit' ? (
          <EditForm
            input={approval.input}
            onBack={look}
            onAllow={(updatedInput) =>
              send(() => approvals.allow(approvalId, { updatedInput, inputHash }))
            }
          />
        ) : mode === 'deny' ? (
          <DenyForm
            onBack={look}
            onDeny={(message) => send(() => approvals.deny(approvalId, { message }))}
          />
        ) : (
          <ToolButtons
            isDisabled={!isOpen}
            suggestedRule={suggestedRule}
            onAllow={allow}
            onEdit={() => setMode('edit')}
            onDeny={() => setMode('deny')}
          />
        )}
      </div>
    </section>
  );
}

function Heading({
  approval,
  onClose,
}: {
  readonly approval: Approval;
  readonly onClose: () => void;
}) {
  const { title, tool, kind, sessionId, reason, createdAt, expiresAt, state } = approval;
  const { answerableBy } = approval;
  const requested = requestWords(approval);
  const now = useNow();
  const { data: sessions } = useSessions();
  const session = sessions?.find((each) => each.sessionId === sessionId);
  return (
    <div>
      {/* Only a question has lines: the title of a call could put some below it that pass for ours. */}
      <h3
        className={`text-[14px] font-semibold break-words ${kind === 'question' ? 'whitespace-pre-wrap' : ''}`}
      >
        {visibleText(title)}
      </h3>
      <p className="text-xs text-soft">
        <Link
          to={pathTo.sessionPage(sessionId)}
          onClick={onClose}
          className="text-accent underline underline-offset-2"
        >
          {session?.title ?? session?.agentName ?? sessionId}
        </Link>
        {kind === 'tool' ? ` wants to use ${visibleText(tool)}` : ' asks'} ·{' '}
        {elapsedText(now - createdAt)} ago
        {state === 'pending' ? ` · expires in ${elapsedText(expiresAt - now)}` : null}
      </p>
      {reason === '' || kind === 'question' ? null : (
        <p className="mt-1 text-[13px] text-soft">Reason: {visibleText(reason)}</p>
      )}
      {requested === undefined ? null : (
        <p className="text-[13px] text-soft">
          Asked by {visibleText(requested)}
          {answerableBy === 'owner' ? ' · only the owner can answer' : null}
        </p>
      )}
    </div>
  );
}

function Settled({ approval }: { readonly approval: Approval }) {
  const { state, answeredBy, answer } = approval;
  const by = answeredBy === undefined ? '' : ` by ${answeredBy}`;
  const words =
    state === 'expired'
      ? 'Nobody answered in time.'
      : state === 'withdrawn'
        ? 'The run has ended, so no answer is needed.'
        : `Answered elsewhere: ${state}${by}${answer === undefined ? '' : `, “${answer}”`}.`;
  return (
    <p
      role="status"
      className="flex items-center gap-1.5 rounded-md bg-warn-wash px-3 py-2 text-[13px] text-warn"
    >
      <Icon name="check" />
      {words}
    </p>
  );
}
