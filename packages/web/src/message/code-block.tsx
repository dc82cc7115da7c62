import { startTransition, useEffect, useState } from 'react';
import { IconButton } from '../ui/button.js';
import { copyText } from '../ui/copy-text.js';
import { Icon } from '../ui/icon.js';
import { toast } from '../ui/toast.js';
import { highlight, type Token } from './highlight.js';

interface CodeBlockProps {
  readonly language: string | undefined;
  readonly code: string;
}

/** Coloured when the colours are there; until then, and in a language that is not known, as it is. */
export function CodeBlock({ language, code }: CodeBlockProps) {
  const lines = useTokens(language, code);
  return (
    <div dir="ltr" className="group/code relative my-1.5 max-w-full">
      <pre
        tabIndex={0}
        className="overflow-x-auto rounded-md bg-code px-3 py-2 pr-10 font-mono text-[12.5px] leading-5"
      >
        <code data-highlighted={lines === undefined ? undefined : true}>
          {lines === undefined ? code : <Coloured lines={lines} />}
        </code>
      </pre>
      <CopyButton text={code} />
    </div>
  );
}

function Coloured({ lines }: { readonly lines: readonly (readonly Token[])[] }) {
  // Only the index distinguishes tokens, and all are created again when one changes.
  return lines.map((line, lineNumber) => (
    <span key={String(lineNumber)}>
      {line.map(({ content, color }, at) => (
        <span key={String(at)} style={color === undefined ? undefined : { color }}>
          {content}
        </span>
      ))}
      {lineNumber < lines.length - 1 ? '\n' : null}
    </span>
  ));
}

/** Longer code is not coloured: nobody reads it in a chat. */
const COLOURED_CHARS = 20_000;

function useTokens(language: string | undefined, code: string) {
  const [found, setFound] = useState<{
    readonly code: string;
    readonly lines: readonly Token[][];
  }>();
  useEffect(() => {
    if (language === undefined || code.length > COLOURED_CHARS) return undefined;
    return highlight(language, code, (lines) => {
      // What the person types comes before colours.
      startTransition(() => setFound({ code, lines }));
    });
  }, [language, code]);
  return found?.code === code ? found.lines : undefined;
}

const COPIED_MS = 1_500;

function CopyButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <IconButton
      label={isCopied ? 'Copied' : 'Copy the code'}
      className="absolute top-1 right-1 bg-code opacity-0 group-hover/code:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
      onClick={() => void copyText(text).then(() => setCopied(true), toast.problem)}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </IconButton>
  );
}
