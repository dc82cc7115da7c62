import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonValue } from '../json-value.js';
import { isInside } from '../tools/paths.js';

/** What the arguments of a call name, wherever in them it stands. */
export interface NamedArguments {
  readonly commands: readonly string[];
  readonly paths: readonly string[];
  readonly hosts: readonly string[];
  /** Something in them may do what the rest does not tell. */
  readonly isUnclear: boolean;
}

/** How programs call what is run; an argument whose name has one of these words in it is one. */
const COMMAND = new Set([
  ...['command', 'commands', 'cmd', 'cmds', 'cmdline', 'script', 'scripts', 'argv'],
  ...['shell', 'bash', 'exec', 'executable', 'program', 'binary', 'interpreter'],
]);
/** Of these each entry is a command of its own, or they are the words of one: nobody says which. */
const LISTS = new Set(['commands', 'cmds', 'scripts']);
/** Last words of names of what only tells something about a command. */
const ABOUT = new Set([
  ...['description', 'title', 'reason', 'explanation', 'id', 'ids', 'type', 'kind', 'status'],
  ...['timeout', 'ms', 'count'],
]);
const ARGUMENTS = new Set(['args', 'arguments', 'argv', 'arg']);
const ENVIRONMENT = new Set(['env', 'environment', 'envs']);
const DIRECTORY = new Set(['cwd', 'workdir', 'directory', 'dir', 'chdir', 'folder']);
const PATH = new Set([
  ...['path', 'paths', 'file', 'files', 'filename', 'filenames', 'filepath', 'directory', 'dir'],
  ...['folder', 'source', 'destination', 'target', 'src', 'dest', 'root', 'cwd'],
]);
const URLS = new Set(['url', 'urls', 'uri', 'uris', 'href', 'link', 'links']);
/** Last words of names of text that is written or sought; what looks like a path in it is none. */
const TEXT = new Set([
  ...['content', 'contents', 'text', 'string', 'code', 'diff', 'patch', 'description', 'prompt'],
  ...['query', 'message', 'title', 'reason', 'instruction', 'instructions', 'explanation'],
]);
/** Enough for any call; what names more is asked about. */
const MOST_NAMED = 200;
const MOST_DEPTH = 8;
const MOST_PATH_CHARS = 4_096;
const USUAL_SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|k|z)?sh$/;

/**
 * Reads the arguments of a call by the names they have. Programs give their tools many shapes, and report
 * commands as reading where they think that they only read: so nothing is left out because of the kind a
 * call is said to be of. What is read here is only ever more to be decided about.
 */
export function namedArguments(input: JsonValue | undefined, workspace: string): NamedArguments {
  const reader = new Reader(workspace);
  if (isRecord(input)) reader.read(input, 0);
  else if (input !== undefined && input !== null) reader.readBare(input);
  return reader.found;
}

/** A command as the shell would have to be told it; undefined when it is none. */
export function commandText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const words = value.filter((word) => typeof word === 'string' || typeof word === 'number');
  return words.length === value.length ? words.map(String).map(quoted).join(' ') : undefined;
}

type Json = { readonly [key: string]: JsonValue };

class Reader {
  readonly #commands = new Set<string>();
  readonly #paths = new Set<string>();
  readonly #hosts = new Set<string>();
  #isUnclear = false;

  constructor(private readonly workspace: string) {}

  get found(): NamedArguments {
    const [commands, paths, hosts] = [[...this.#commands], [...this.#paths], [...this.#hosts]];
    const isTooMuch = commands.length + paths.length + hosts.length > MOST_NAMED;
    return isTooMuch
      ? { commands: commands.slice(0, MOST_NAMED), paths: [], hosts: [], isUnclear: true }
      : { commands, paths, hosts, isUnclear: this.#isUnclear };
  }

  read(input: Json, depth: number): void {
    if (depth > MOST_DEPTH) {
      this.#isUnclear = true;
      return;
    }
    const surroundings = this.#surroundings(input);
    for (const [name, value] of Object.entries(input)) {
      // Some name the files they change in this way.
      if (looksLikePath(name)) this.#path(name);
      const words = wordsOf(name);
      const last = words.at(-1) ?? '';
      const isArgument = surroundings.isCommand && hasOne(words, ARGUMENTS);
      if (hasOne(words, COMMAND) && !ABOUT.has(last) && !isArgument) {
        this.#command(words, value, surroundings, depth);
      } else if (TEXT.has(last)) this.#each(value, depth, () => undefined);
      else if (hasOne(words, URLS)) this.#each(value, depth, (text) => this.#url(text));
      else if (hasOne(words, PATH)) this.#each(value, depth, (text) => this.#path(text));
      else this.#each(value, depth, (text) => this.#perhapsPath(text));
    }
  }

  /** Arguments without names. */
  readBare(input: JsonValue): void {
    const text = commandText(input);
    if (text !== undefined) this.#commands.add(text);
    this.#isUnclear = true;
  }

  #command(words: readonly string[], value: JsonValue, beside: Surroundings, depth: number): void {
    // The usual shell that runs the command beside it.
    if (beside.isCommand && typeof value === 'string' && USUAL_SHELL.test(value)) return;
    const text = commandText(value);
    const { before, after } = beside;
    if (text !== undefined) this.#commands.add(`${before}${text}${after}`);
    if (isRecord(value)) this.read(value, depth + 1);
    if (!Array.isArray(value)) return;
    const [first] = value;
    const isLine = typeof first === 'string' && /\S\s+\S/.test(first);
    const isList = isLine || hasOne(words, LISTS);
    for (const one of value) {
      if (isRecord(one)) this.read(one, depth + 1);
      else if (Array.isArray(one)) this.#command(words, one, beside, depth + 1);
      else if (text === undefined) this.#isUnclear = true;
      else if (isList) this.#commands.add(`${before}${String(one)}`);
    }
  }

  /** What stands beside a command and belongs to it. */
  #surroundings(input: Json): Surroundings {
    const named = Object.entries(input).map(([name, value]) => ({ words: wordsOf(name), value }));
    const isCommand = named.some(
      ({ words, value }) =>
        hasOne(words, COMMAND) &&
        !words.includes('argv') &&
        !(typeof value === 'string' && USUAL_SHELL.test(value)) &&
        commandText(value) !== undefined,
    );
    if (!isCommand) return { isCommand, before: '', after: '' };
    let [before, after] = ['', ''];
    for (const { words, value } of named) {
      if (hasOne(words, ENVIRONMENT)) {
        const isEmpty = value === null || (typeof value === 'object' && isBare(value));
        if (!isEmpty) this.#isUnclear = true;
      } else if (hasOne(words, DIRECTORY) && typeof value === 'string') {
        const directory = resolve(this.workspace, expanded(value));
        if (!isInside(directory, this.workspace)) before = `cd ${quoted(directory)} && `;
      } else if (hasOne(words, ARGUMENTS) && !(Array.isArray(value) && isBare(value))) {
        const text = commandText(value);
        if (text === undefined) this.#isUnclear = true;
        else after += ` ${text}`;
      }
    }
    return { isCommand, before, after };
  }

  #each(value: JsonValue, depth: number, take: (text: string) => void): void {
    if (typeof value === 'string') {
      if (value !== '') take(value);
    } else if (Array.isArray(value)) {
      if (depth > MOST_DEPTH) this.#isUnclear = true;
      else for (const one of value) this.#each(one, depth + 1, take);
    } else if (isRecord(value)) this.read(value, depth + 1);
  }

  #url(text: string): void {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol === 'file:') this.#path(pathOf(url));
    else if (url?.hostname) this.#hosts.add(url.hostname);
    else this.#path(text);
  }

  #perhapsPath(text: string): void {
    if (/^file:\/\//i.test(text)) this.#url(text);
    else if (looksLikePath(text)) this.#path(text);
  }

  #path(text: string): void {
    const isOne = text.length <= MOST_PATH_CHARS && !text.includes('\n');
    if (isOne) this.#paths.add(expanded(text));
    // A program may still make a short one of it.
    else if (looksLikePath(text)) this.#isUnclear = true;
  }
}

interface Surroundings {
  readonly isCommand: boolean;
  readonly before: string;
  readonly after: string;
}

const isRecord = (value: JsonValue | undefined): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isBare = (value: object): boolean => Object.keys(value).length === 0;

/** `workingDirectory` and `working_directory` have the same words. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);

const hasOne = (words: readonly string[], among: ReadonlySet<string>): boolean =>
  words.some((word) => among.has(word));

/** What leads somewhere else than below the workspace by how it is written. */
const looksLikePath = (text: string): boolean =>
  /^(?:\/|~(?:\/|$))/.test(text) || /(?:^|\/)\.\.(?:\/|$)/.test(text);

const expanded = (path: string): string =>
  /^~(?:\/|$)/.test(path) ? join(homedir(), path.slice(1)) : path;

function pathOf(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch {
    // Of another host, or with bytes that no path has: it leads nowhere, so it is outside.
    return '/';
  }
}

const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
