import {
  createCssVariablesTheme,
  createHighlighterCore,
  type HighlighterCore,
  type LanguageInput,
} from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';

export interface Token {
  readonly content: string;
  readonly color?: string | undefined;
}

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
export async function highlight(name: string, code: string): Promise<Token[][] | undefined> {
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
  return loaded.codeToTokensBase(code, {
    lang: language,
    theme: 'stoa',
    // Of a line that takes longer the rest is not coloured; the first one compiles the grammar.
    tokenizeTimeLimit: 5_000,
  });
}
