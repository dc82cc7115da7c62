import type { Message, Whoami } from '@stoa/protocol';
import { type KeyboardEvent, type ReactNode, Suspense, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { late } from '../app/late.js';
import { pathTo } from '../app/routes.js';
import { replyIn } from '../thread/reply.js';
import { IconButton } from '../ui/button.js';
import { copyText } from '../ui/copy-text.js';
import { Icon, type IconName } from '../ui/icon.js';
import { toast } from '../ui/toast.js';
import { DeleteMessage } from './delete-message.js';
import { editing, type Where } from './editing.js';
import { EmojiChoice } from './emoji-choice.js';
import { toggleReaction } from './react.js';

const WhyDialog = late(async () => (await import('./why-dialog.js')).WhyDialog);

interface MessageActionsProps {
  readonly message: Message;
  readonly me: Pick<Whoami, 'actorId' | 'role'>;
  readonly where: Where;
}

/** What can be done with a message: one stop for Tab, arrows inside. */
export function MessageActions({ message, me, where }: MessageActionsProps) {
  const [open, setOpen] = useState<'react' | 'delete' | 'why'>();
  const bar = useRef<HTMLDivElement>(null);
  const reactButton = useRef<HTMLButtonElement>(null);
  const isMine = message.author.id === me.actorId;
  const mayDelete = isMine || me.role === 'owner';
  const close = (): void => setOpen(undefined);
  return (
    <>
      <div
        ref={bar}
        role="toolbar"
        aria-label="Message actions"
        onKeyDown={(event) => moveIn(bar.current, event)}
        className="flex p-0.5"
      >
        <IconButton
          ref={reactButton}
          label="React"
          data-action="react"
          aria-haspopup="dialog"
          aria-expanded={open === 'react'}
          onClick={() => setOpen(open === 'react' ? undefined : 'react')}
        >
          <Icon name="react" />
        </IconButton>
        <Action action="reply" label="Reply in thread" icon="reply" run={() => replyIn(message)} />
        {message.author.kind === 'agent' ? (
          <Action
            action="why"
            label="Why did they speak?"
            icon="question"
            run={() => setOpen('why')}
          />
        ) : null}
        <Action
          action="link"
          label="Copy the link"
          icon="link"
          run={() => void copyLink(message)}
        />
        {isMine ? (
          <Action
            action="edit"
            label="Edit"
            icon="edit"
            run={() => editing.begin(message.messageId, where)}
          />
        ) : null}
        {mayDelete ? (
          <Action action="delete" label="Delete" icon="trash" run={() => setOpen('delete')} />
        ) : null}
      </div>
      {/* Outside of what is only shown while the pointer is on it. */}
      {open === 'react'
        ? createPortal(
            <EmojiChoice
              anchor={reactButton}
              onClose={close}
              onChoose={(emoji) => {
                close();
                void toggleReaction(message, emoji, me.actorId);
              }}
            />,
            document.body,
          )
        : null}
      {open === 'delete'
        ? createPortal(<DeleteMessage message={message} onClose={close} />, document.body)
        : null}
      {open === 'why'
        ? createPortal(
            <Suspense>
              <WhyDialog message={message} onClose={close} />
            </Suspense>,
            document.body,
          )
        : null}
    </>
  );
}

interface ActionProps {
  readonly action: string;
  readonly label: string;
  readonly icon: IconName;
  readonly run: () => void;
}

function Action({ action, label, icon, run }: ActionProps): ReactNode {
  return (
    <IconButton label={label} data-action={action} tabIndex={-1} onClick={run}>
      <Icon name={icon} />
    </IconButton>
  );
}

function moveIn(bar: HTMLElement | null, event: KeyboardEvent): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  const buttons = [...(bar?.querySelectorAll('button') ?? [])];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  if (at < 0) return;
  event.preventDefault();
  buttons.at((at + step) % buttons.length)?.focus();
}

async function copyLink({ channelId, messageId }: Message): Promise<void> {
  const url = location.origin + pathTo.messagePage(channelId, messageId);
  try {
    await copyText(url);
    toast.tell('The link is copied.');
  } catch {
    toast.tell(url);
  }
}
