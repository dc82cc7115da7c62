import { useRef, useState } from 'react';
import { client } from '../data/client.js';
import { useKey } from '../keys/registry.js';
import { Button, IconButton } from '../ui/button.js';
import { Field, INPUT } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { Popover } from '../ui/popover.js';

interface JumpToDateProps {
  readonly channelId: string;
  readonly onFound: (messageId: string) => void;
}

/** Leads to the first message of a day, or of the next one on which anybody spoke. */
export function JumpToDate({ channelId, onFound }: JumpToDateProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<string>();
  const open = (): void => {
    setProblem(undefined);
    setOpen(true);
  };
  useKey('g d', { does: 'Go to a day', group: 'In a channel' }, open);
  const jump = async (day: string): Promise<void> => {
    const postedSince = new Date(`${day}T00:00`).getTime();
    if (Number.isNaN(postedSince)) {
      setProblem('Choose a day.');
      return;
    }
    try {
      const [first] = (await client.messages.list(channelId, { postedSince, limit: 1 })).messages;
      if (!first) {
        setProblem('There are no messages since then.');
        return;
      }
      setOpen(false);
      onFound(first.messageId);
    } catch {
      setProblem('The daemon did not answer; try again.');
    }
  };
  return (
    <>
      <IconButton ref={anchor} label="Go to a day" onClick={open}>
        <Icon name="calendar" />
      </IconButton>
      {isOpen ? (
        <Popover label="Go to a day" anchor={anchor} onClose={() => setOpen(false)}>
          <form
            className="flex flex-col gap-2 p-2"
            onSubmit={(event) => {
              event.preventDefault();
              const day = new FormData(event.currentTarget).get('day');
              void jump(typeof day === 'string' ? day : '');
            }}
          >
            <Field label="Day" problem={problem}>
              {(attributes) => (
                <input {...attributes} type="date" name="day" required className={INPUT} />
              )}
            </Field>
            <Button type="submit" look="primary">
              Go
            </Button>
          </form>
        </Popover>
      ) : null}
    </>
  );
}
