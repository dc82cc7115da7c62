/** The few pages that are not the web UI: each says one thing, and what to do about it. */
export function notLoggedInPage(): string {
  return page(
    'This browser is not logged in',
    `<p>Stoa runs here, and you get in with a link that works once.</p>
<p>Run <code>stoa login</code> and open the link it prints; the start of the daemon (<code>npm start</code>) prints one too.</p>`,
  );
}

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

/** Loads its own address again, from itself: an address that somebody else wrote stands nowhere in it. */
export function followedPage(): string {
  return page(
    'One moment',
    '<p>You followed a link to Stoa. <a href="">Go on</a> if nothing happens.</p>',
    '<meta http-equiv="refresh" content="0">',
  );
}

function page(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>${head}
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
