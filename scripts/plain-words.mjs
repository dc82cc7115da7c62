// `npm run check -- words`: reports words and phrases of scripts/plain-words.json in file names, identifiers, comments,
// texts and documents. A file is read as a series of words: `nextCheckAt`, `next_check_at` and "next check at" are the
// same three. `words` apply everywhere; `identifiers` only inside a name of several words.
// `notYet` lists paths that still have to be rewritten, with the reason, for all entries or inside one entry. The check fails
// when such a path is clean, so that the list shrinks. `examples` lists files that contain the words on purpose.
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root as repository } from './run.mjs';

const { values: options } = parseArgs({
  options: {
    root: { type: 'string', default: repository },
    list: { type: 'string', default: path.join(repository, 'scripts/plain-words.json') },
  },
});

const READ = /\.(?:cjs|css|html|md|mjs|sql|svg|ts|tsx|ya?ml)$/;
const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git', 'fixtures']);
// A path in a document is checked where the file is.
const PATH_IN_DOCUMENT = /`[\w.@-]*\/[\w./@*{},-]*`|\]\([^)\s]*\)/g;
const NAME = /[\p{L}\p{N}_$]+(?:-[\p{L}\p{N}_$]+)*/gu;
const WORD = /\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu;
// Between two words of a phrase: white space, and what begins a line of a comment, list or quotation.
const WITHIN_PHRASE = /^[\s/*>]*$/;

const list = JSON.parse(fs.readFileSync(options.list, 'utf8'));
const forbidden = new Map();
const unfinished = Object.entries(list.notYet).map(([name, reason]) => ({
  path: name,
  reason,
  count: 0,
}));
for (const [phrase, entry] of Object.entries(list.words)) add(phrase, entry, false);
for (const [phrase, entry] of Object.entries(list.identifiers)) add(phrase, entry, true);

let problems = 0;
for (const file of filesBelow('')) {
  for (const { line, phrase, say } of findings(file)) {
    const exception = unfinished.find(
      (entry) => (entry.phrase ?? phrase) === phrase && `${file}/`.startsWith(`${entry.path}/`),
    );
    if (exception === undefined) report(`${file}:${line} "${phrase}": say ${say}`);
    else exception.count += 1;
  }
}
for (const { path: name, phrase, reason, count } of unfinished) {
  const what = phrase === undefined ? name : `"${phrase}" in ${name}`;
  if (count === 0) report(`${what} is clean: remove it from "notYet" in plain-words.json`);
  else console.log(`${what}: ${count} not yet rewritten (${reason})`);
}
process.exitCode = problems === 0 ? 0 : 1;

function report(problem) {
  problems += 1;
  console.log(problem);
}

function add(phrase, { say, unless = [], notYet = {} }, inName) {
  const words = phrase.split(' ');
  const entry = { phrase, words, say, unless: unless.map((text) => text.split(' ')), inName };
  forbidden.set(words[0], [...(forbidden.get(words[0]) ?? []), entry]);
  for (const [name, reason] of Object.entries(notYet)) {
    unfinished.push({ path: name, phrase, reason, count: 0 });
  }
}

function* filesBelow(directory) {
  const entries = fs.readdirSync(path.join(options.root, directory), { withFileTypes: true });
  for (const entry of entries) {
    const file = path.posix.join(directory, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* filesBelow(file);
    } else if (READ.test(entry.name) && !list.examples?.includes(file)) yield file;
  }
}

function* findings(file) {
  const text = fs.readFileSync(path.join(options.root, file), 'utf8');
  const isDocument = file.endsWith('.md');
  const read = isDocument
    ? text.replace(PATH_IN_DOCUMENT, (part) => part.replace(/\S/g, '·'))
    : text;
  // The name of the file itself comes first, as line 1; its directories are reported once per file.
  yield* matches(wordsOf(file.replaceAll('/', ' . ')), () => 1);
  yield* matches(wordsOf(read), lineCounter(read));
}

function* matches(words, lineAt) {
  for (const [index, { word, at }] of words.entries()) {
    for (const entry of forbidden.get(word) ?? []) {
      if (!isAt(words, index, entry.words)) continue;
      if (entry.inName && !isInLongerName(words, index, entry.words.length)) continue;
      if (entry.unless.some((allowed) => covers(words, index, entry.words[0], allowed))) continue;
      yield { line: lineAt(at), phrase: entry.phrase, say: entry.say };
    }
  }
}

/** The words of a text in lower case: where each is, which name it is part of, and whether it continues a phrase. */
function wordsOf(text) {
  const words = [];
  let end = 0;
  let name = 0;
  for (const found of text.matchAll(NAME)) {
    name += 1;
    let continues = WITHIN_PHRASE.test(text.slice(end, found.index));
    end = found.index + found[0].length;
    for (const part of found[0].matchAll(WORD)) {
      words.push({ word: part[0].toLowerCase(), at: found.index + part.index, name, continues });
      continues = true;
    }
  }
  return words;
}

function isAt(words, index, phrase) {
  return phrase.every((word, offset) => {
    const found = words[index + offset];
    return found?.word === word && (offset === 0 || found.continues);
  });
}

function isInLongerName(words, index, length) {
  const { name } = words[index];
  if (words[index + length - 1].name !== name) return false;
  return words[index - 1]?.name === name || words[index + length]?.name === name;
}

function covers(words, index, word, allowed) {
  return allowed.some((part, offset) => part === word && isAt(words, index - offset, allowed));
}

function lineCounter(text) {
  let line = 1;
  let seen = 0;
  return (at) => {
    for (; seen < at; seen += 1) if (text.charCodeAt(seen) === 10) line += 1;
    return line;
  };
}
