import { isValidElement, memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Guarded } from '../ui/guarded.js';
import { CodeBlock } from './code-block.js';
import { directed } from './directed.js';
import { isTooNested } from './nesting.js';
import { PlainMessage } from './plain-message.js';
import { safeUrl } from './safe-url.js';

/**
 * What people and agents write. HTML in it is shown as the text it is; a link leads only where `safeUrl`
 * lets it; and a picture from elsewhere is a link, since loading it would tell its server who reads this.
 */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  if (isTooNested(text)) return <PlainMessage text={text} reason="nested" />;
  return (
    <Guarded of={text} instead={<PlainMessage text={text} reason="failed" />}>
      <div className="prose-message">
        <ReactMarkdown
          remarkPlugins={PLUGINS}
          rehypePlugins={DIRECTED}
          components={COMPONENTS}
          urlTransform={transform}
        >
          {text}
        </ReactMarkdown>
      </div>
    </Guarded>
  );
});

const PLUGINS = [remarkGfm];
const DIRECTED = [directed];

const transform = (url: string): string => safeUrl(url) ?? '';

const COMPONENTS: Components = {
  a: ({ href, children }) => <OutwardLink href={href}>{children}</OutwardLink>,
  img: ({ src, alt }) => (
    <OutwardLink href={typeof src === 'string' ? src : undefined}>
      {alt === undefined || alt === '' ? 'picture' : alt}
    </OutwardLink>
  ),
  // A line break in the source is one on the page (see the style), so this would be a second.
  br: () => null,
  pre: ({ children }) => {
    const { language, code } = codeOf(children);
    return <CodeBlock language={language} code={code} />;
  },
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => (
    <input type="checkbox" checked={checked} disabled readOnly aria-label="Task" />
  ),
};

interface OutwardLinkProps {
  readonly href: string | undefined;
  readonly children: ReactNode;
}

function OutwardLink({ href, children }: OutwardLinkProps) {
  if (href === undefined || href === '') return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
    </a>
  );
}

/** What is in a fenced block: react-markdown puts a `code` with the language as its class into a `pre`. */
function codeOf(children: ReactNode): {
  readonly language: string | undefined;
  readonly code: string;
} {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) {
    return { language: undefined, code: '' };
  }
  const { className, children: code } = children.props;
  return {
    language: /language-(\S+)/.exec(className ?? '')?.[1],
    code: typeof code === 'string' ? code.replace(/\n$/, '') : '',
  };
}
