import { type KeyboardEvent, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.js';

interface EditFormProps {
  readonly input: unknown;
  readonly onAllow: (updatedInput: never) => void;
  readonly onBack: () => void;
}

/** The arguments as JSON. The edited arguments are allowed once. */
export function EditForm({ input, onAllow, onBack }: EditFormProps) {
  const [text, setText] = useState(() => JSON.stringify(input, undefined, 2));
  const [problem, setProblem] = useState<string>();
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const submit = (event?: SyntheticEvent): void => {
    event?.preventDefault();
    try {
      // Whether it fits the tool is judged by the daemon.
      onAllow(JSON.parse(text) as never);
    } catch (error) {
      setProblem(`That is not JSON: ${(error as Error).message}`);
    }
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submit();
  };
  return (
    <form onSubmit={submit} className="space-y-2">
      <textarea
        ref={box}
        aria-label="Arguments as JSON"
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={problem === undefined ? undefined : 'arguments-problem'}
        spellCheck={false}
        rows={Math.min(14, text.split('\n').length + 1)}
        value={text}
        onKeyDown={press}
        onChange={({ target }) => {
          setText(target.value);
          setProblem(undefined);
        }}
        className="block w-full resize-y rounded-md border border-line bg-paper px-2.5 py-2 font-mono text-xs leading-5 aria-invalid:border-danger"
      />
      {problem === undefined ? null : (
        <p id="arguments-problem" role="alert" className="text-xs text-danger">
          {problem}
        </p>
      )}
      <div className="flex items-center gap-2">
        <Button look="primary" type="submit">
          Allow this instead
        </Button>
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
        <span className="hidden text-xs text-faint wide:inline">Ctrl+Enter allows</span>
      </div>
    </form>
  );
}
