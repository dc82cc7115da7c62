import type { DispatchRule, Session } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { clearSent, useDraft } from '../composer/use-draft.js';
import { client } from '../data/client.js';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { isByTouch } from '../ui/is-by-touch.js';

type Rule = Extract<DispatchRule, 'followup' | 'inject' | 'steer'>;

/** What happens to a prompt while the session is busy. */
const RULES: readonly { readonly rule: Rule; readonly label: string; readonly does: string }[] = [
  { rule: 'followup', label: 'After this run', does: 'Waits until the run has ended' },
  { rule: 'inject', label: 'Into this run', does: 'Reaches the agent at its next tool call' },
  { rule: 'steer', label: 'Instead', does: 'Cancels the run and replaces it' },
];

/** Where one tells the agent what to do. What is not sent yet is kept; what could not be sent is not lost. */
export function PromptBox({ session }: { readonly session: Session }) {
  const { sessionId, status, agentName } = session;
  const draftKey = `session:${sessionId}`;
  const [text, setText] = useDraft(draftKey);
  const [chosen, choose] = useState<Rule>('followup');
  const isBusy = status === 'busy' || status === 'waiting';
  const send = useMutation({
    mutationFn: (written: string) =>
      client.sessions.submit(sessionId, {
        text: written.trim(),
        rule: isBusy ? chosen : 'followup',
      }),
    onSuccess: (_, written) => {
      clearSent(draftKey, written);
      // Interrupting a run always needs a confirmation.
      choose('followup');
    },
  });
  const submit = (): void => {
    if (text.trim() !== '' && !send.isPending) send.mutate(text);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    if (isByTouch() && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    submit();
  };
  if (status === 'ended') {
    return (
      <p className="border-t border-line px-4 py-3 text-[13px] text-faint">
        This session has ended. Its journal stays.
      </p>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      className="shrink-0 px-3 pt-1 pb-3 wide:px-4"
    >
      {isBusy ? <Rules chosen={chosen} onChoose={choose} /> : null}
      <div className="flex items-end gap-1 rounded-lg border border-line bg-raised p-1 focus-within:border-accent">
        <textarea
          aria-label="Prompt"
          placeholder={`Tell ${agentName} what to do`}
          rows={Math.min(10, text.split('\n').length)}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={press}
          className="min-h-8 grow resize-none bg-transparent px-2 py-1.5 outline-none placeholder:text-faint"
        />
        <IconButton
          label="Send"
          type="submit"
          disabled={text.trim() === '' || send.isPending}
          className="mb-0.5"
        >
          <Icon name="send" />
        </IconButton>
      </div>
      {send.error ? (
        <p role="alert" className="mt-1 text-xs text-danger">
          {send.error.message}
        </p>
      ) : null}
    </form>
  );
}

interface RulesProps {
  readonly chosen: Rule;
  readonly onChoose: (rule: Rule) => void;
}

function Rules({ chosen, onChoose }: RulesProps) {
  return (
    <fieldset className="mb-1 flex flex-wrap items-center gap-1 text-xs text-soft">
      <legend className="sr-only">When the agent receives it</legend>
      {RULES.map(({ rule, label, does }) => (
        <label
          key={rule}
          title={does}
          className={`cursor-pointer rounded-full border px-2 py-0.5 has-focus-visible:outline-2 has-focus-visible:outline-accent ${rule === chosen ? 'border-accent bg-accent-wash text-ink' : 'border-line hover:bg-hover'}`}
        >
          <input
            type="radio"
            name="rule"
            className="sr-only"
            checked={rule === chosen}
            onChange={() => onChoose(rule)}
          />
          {label}
        </label>
      ))}
      <span className="hidden text-faint wide:inline">
        {RULES.find(({ rule }) => rule === chosen)?.does}
      </span>
    </fieldset>
  );
}
