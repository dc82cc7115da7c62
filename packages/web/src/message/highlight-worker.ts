import {
  createCssVariablesTheme,
  createHighlighterCore,
  type HighlighterCore,
  type LanguageInput,
} from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';

import type { HighlightAnswer, HighlightRequest, Token } from './highlight.js';

// Runs in a worker: grammars are made of regular expressions that can take any time for the right text, and
// only a worker can be ended from outside.

/** Each is a file of its own, loaded when it is first met. */
const LANGUAGES: Readonly<Record<string, LanguageInput>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};

const ALIASES: Readonly<Record<string, string>> = {
  h: 'c',
  js: 'javascript',
  jsx: 'javascript',
  md: 'markdown',
  mjs: 'javascript',
  patch: 'diff',
  py: 'python',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/** The colours are variables of the style sheet, so that they follow the theme. */
const theme = createCssVariablesTheme({ name: 'stoa', variablePrefix: '--shiki-' });

let highlighter: Promise<HighlighterCore> | undefined;

/** Undefined for a language that is not known. Tokens, not HTML: no style attribute passes the policy. */
async function tokensOf({
  id,
  language: name,
  code,
}: HighlightRequest): Promise<Token[][] | undefined> {
  const wanted = name.toLowerCase();
  const language = ALIASES[wanted] ?? wanted;
  const grammar = LANGUAGES[language];
  if (!grammar) return undefined;
  highlighter ??= createHighlighterCore({
    themes: [theme],
    langs: [],
    // The other engine is WebAssembly, which the policy of the page does not allow.
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const loaded = await highlighter;
  await loaded.loadLanguage(grammar);
  say({ type: 'begun', id });
  // The worker is ended from outside, so that code is coloured as a whole or not at all.
  const options = { lang: language, theme: 'stoa', tokenizeTimeLimit: 0 };
  const lines = loaded.codeToTokensBase(code, options).map(joined);
  const count = lines.reduce((sum, line) => sum + line.length, 0);
  return count > MAX_TOKENS ? undefined : lines;
}

/** Each is an element of the page, which takes time to draw. */
const MAX_TOKENS = 4_000;

/** Neighbours of one colour are one token. */
function joined(line: readonly Token[]): Token[] {
  const tokens: Token[] = [];
  let parts: string[] = [];
  line.forEach(({ content, color }, at) => {
    parts.push(content);
    if (at + 1 < line.length && line[at + 1]?.color === color) return;
    tokens.push({ content: parts.join(''), color });
    parts = [];
  });
  return tokens;
}

function say(answer: HighlightAnswer): void {
  self.postMessage(answer);
}

self.addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const answer = (lines: Token[][] | undefined): void => {
    say({ type: 'done', id: data.id, lines });
  };
  // A grammar that cannot be loaded or that fails leaves the code as it is.
  tokensOf(data).then(answer, () => answer(undefined));
});
