/** The few pages that are not the web UI: each has one message, and what to do about it. */
export function notBuiltPage(): string {
  return page(
    'The web UI is not built',
    '<p>Run <code>npm run build</code> and load this page again. <code>npm start</code> builds it by itself.</p>',
  );
}

export function loginFailedPage(): string {
  return page(
    'This login link is used up',
    '<p>A link works once and for ten minutes. Run <code>stoa login</code> for a new one.</p>',
  );
}

export function loginNotOpenedPage(): string {
  return page(
    'Nobody was logged in',
    `<p>A login link works only when you open it yourself, and a page led here. If you want to log in, run
<code>stoa login</code> and open the link it prints.</p>`,
  );
}

/** The web UI with the data for the login question. Only the opener of the login link gets the ticket. */
export function withLogin(
  built: string,
  login: {
    readonly humanId: string;
    readonly displayName: string;
    readonly code: string;
    readonly ticket: string;
  },
): string {
  const meta = `<meta name="stoa-login" content="${escape(JSON.stringify(login))}">`;
  return built.replace('</head>', () => `${meta}</head>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>
:root { color-scheme: light dark; --ink: #1d2127; --paper: #fbfaf7; --soft: #efece4; --accent: #7a4b1e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e4da; --paper: #17181b; --soft: #24262b; --accent: #e0a868; } }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper); color: var(--ink);
  font: 16px/1.6 ui-sans-serif, system-ui, sans-serif; }
main { max-width: 34rem; padding: 2rem; }
h1 { font-weight: 600; font-size: 1.6rem; margin: 0 0 1rem; }
pre, code { background: var(--soft); border-radius: 6px; font-family: ui-monospace, monospace; font-size: .92em; }
code { padding: .1em .35em; } pre { padding: .9rem 1.1rem; overflow-x: auto; }
a { color: var(--accent); }
</style></head><body><main><h1>${escape(title)}</h1>
${body}
</main></body></html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escape = (text: string): string => text.replace(/[&<>"]/g, (mark) => ENTITIES[mark] ?? mark);
