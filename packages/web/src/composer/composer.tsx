import type { PostMessage } from '@stoa/protocol';
import {
  type AriaAttributes,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { isByTouch } from '../ui/is-by-touch.js';
import { useDraft } from './use-draft.js';

/** What a part of the composer can see and do. */
export interface Writing {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly isFocused: boolean;
}

interface ComposerProps {
  /** Under which what is being written is remembered. */
  readonly draftKey: string;
  readonly placeholder: string;
  readonly label?: string;
  readonly onPost: (post: PostMessage) => void;
  /** Above the text: what is attached, who is suggested. */
  readonly above?: (writing: Writing) => ReactNode;
  /** Beside the send button. */
  readonly tools?: (writing: Writing) => ReactNode;
  /** Sees keys first; `true` means that the key was used. */
  readonly onKey?: (event: KeyboardEvent<HTMLTextAreaElement>, writing: Writing) => boolean;
  /** What ties the text to a list of suggestions. */
  readonly attributes?: (writing: Writing) => AriaAttributes;
  /** Makes what is posted from the text; with nothing but the text in it unless given. */
  readonly compose?: (text: string) => PostMessage | undefined;
}

export function Composer(props: ComposerProps) {
  const { draftKey, placeholder, label = 'Message', onPost, above, tools, onKey } = props;
  const { attributes, compose = withText } = props;
  const [text, setText] = useDraft(draftKey);
  const area = useRef<HTMLTextAreaElement>(null);
  const [isFocused, setFocused] = useState(false);
  const writing: Writing = { text, setText, area, isFocused };
  useGrowing(area, text);
  const send = (): void => {
    const post = compose(text.trim());
    if (!post) return;
    onPost(post);
    setText('');
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing || onKey?.(event, writing) === true) return;
    if (event.key !== 'Enter' || event.shiftKey || event.altKey) return;
    if (isByTouch() && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      className="shrink-0 px-3 pt-1 pb-3 wide:px-4"
    >
      <div className="rounded-lg border border-line bg-raised focus-within:border-accent">
        {above?.(writing)}
        <div className="flex items-end gap-1 p-1">
          <textarea
            ref={area}
            dir="auto"
            rows={1}
            {...attributes?.(writing)}
            aria-label={label}
            placeholder={placeholder}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={press}
            onFocus={() => setFocused(true)}
            onBlur={() => setFocused(false)}
            className="max-h-[40dvh] min-h-8 grow resize-none bg-transparent px-2 py-1.5 outline-none placeholder:overflow-hidden placeholder:text-ellipsis placeholder:whitespace-nowrap placeholder:text-faint"
          />
          {tools?.(writing)}
          <IconButton
            label="Send"
            type="submit"
            disabled={compose(text.trim()) === undefined}
            className="mb-0.5"
          >
            <Icon name="send" />
          </IconButton>
        </div>
      </div>
    </form>
  );
}

function withText(text: string): PostMessage | undefined {
  return text === '' ? undefined : { text };
}

/** As high as what is written in it; beyond its bound it scrolls. */
function useGrowing(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const { current } = area;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [area, text]);
}
