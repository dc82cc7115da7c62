import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.js';
import { INPUT } from '../ui/field.js';

interface DenyFormProps {
  readonly onDeny: (message: string | undefined) => void;
  readonly onBack: () => void;
}

/** The agent receives the reason, which often prevents the next question. */
export function DenyForm({ onDeny, onBack }: DenyFormProps) {
  const [message, setMessage] = useState('');
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.focus(), []);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    onDeny(message.trim() === '' ? undefined : message.trim());
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap gap-2">
      <input
        ref={box}
        aria-label="Why not"
        placeholder="Reason for the agent (optional)"
        className={`${INPUT} min-w-48 flex-1`}
        value={message}
        onChange={({ target }) => setMessage(target.value)}
      />
      <Button look="danger" type="submit">
        Deny
      </Button>
      <Button look="quiet" onClick={onBack}>
        Back
      </Button>
    </form>
  );
}
