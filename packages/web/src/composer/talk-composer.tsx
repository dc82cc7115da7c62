import type { Member, PostMessage } from '@stoa/protocol';
import { LIMITS } from '@stoa/protocol/constants';
import { type ClipboardEvent, useRef } from 'react';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { AttachmentStrip } from './attachment-strip.js';
import { Composer } from './composer.js';
import { sizeOf } from './size-of.js';
import { useAttachments } from './use-attachments.js';
import { useFileDrop } from './use-file-drop.js';
import { useMentions } from './use-mentions.js';
import { useWriteAsked } from './write-in.js';

interface TalkComposerProps {
  readonly draftKey: string;
  readonly placeholder: string;
  readonly label: string;
  /** Who can be addressed. */
  readonly members: readonly Member[];
  readonly onPost: (post: PostMessage) => void;
  /** `false` when there is nothing of one's own to edit. */
  readonly onEditLast: () => boolean;
}

/** The box to write in, with names to choose and files to attach. */
export function TalkComposer(props: TalkComposerProps) {
  const { members, onPost, onEditLast, ...rest } = props;
  const around = useRef<HTMLDivElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const mentions = useMentions(members);
  const attachments = useAttachments(props.draftKey);
  const { attached, add, clear } = attachments;
  const isOver = useFileDrop(around, add);
  useWriteAsked(props.draftKey, around);
  const compose = (text: string): PostMessage | undefined => {
    if (attached.some(({ state }) => state !== 'stored')) return undefined;
    if (text === '' && attached.length === 0) return undefined;
    // Whom the text names after an `@` is for the daemon to say, as it does for every client.
    if (attached.length === 0) return { text };
    return {
      inputItems: [
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ...attached.map(({ assetId = '' }) => ({ type: 'asset_reference' as const, assetId })),
      ],
    };
  };
  const paste = (event: ClipboardEvent): void => {
    const { files } = event.clipboardData;
    // Some programs put a picture of a text beside it: paste only the text then.
    if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return;
    event.preventDefault();
    add(files);
  };
  return (
    <div ref={around} onPaste={paste} className="relative shrink-0">
      {isOver ? (
        <p className="absolute inset-x-4 bottom-full mb-1 rounded-md border border-dashed border-accent bg-accent-wash px-3 py-2 text-[13px] text-accent">
          Drop to attach, up to {sizeOf(LIMITS.assetBytes)} each.
        </p>
      ) : null}
      <Composer
        {...rest}
        compose={compose}
        onPost={(post) => {
          clear();
          onPost(post);
        }}
        attributes={mentions.attributes}
        onKey={(event, writing) =>
          mentions.press(event, writing) ||
          (event.key === 'ArrowUp' && writing.text === '' && attached.length === 0 && edit(event))
        }
        above={(writing) => (
          <>
            {mentions.list(writing)}
            <AttachmentStrip {...attachments} />
          </>
        )}
        tools={() => (
          <>
            <input
              ref={chooser}
              type="file"
              multiple
              hidden
              aria-label="Files to attach"
              onChange={({ target }) => {
                if (target.files) add(target.files);
                target.value = '';
              }}
            />
            <IconButton
              label={`Attach files, up to ${sizeOf(LIMITS.assetBytes)} each`}
              className="mb-0.5"
              onClick={() => chooser.current?.click()}
            >
              <Icon name="attach" />
            </IconButton>
          </>
        )}
      />
    </div>
  );

  function edit(event: { preventDefault(): void }): boolean {
    event.preventDefault();
    return onEditLast();
  }
}
