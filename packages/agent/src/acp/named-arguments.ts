import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonValue } from '../json-value.js';
import { isInside } from '../tools/paths.js';

/** The commands, paths and hosts in the arguments of a call, at any depth. */
export interface NamedArguments {
  readonly commands: readonly string[];
  readonly paths: readonly string[];
  readonly hosts: readonly string[];
  /** Whether the arguments may have effects that the rest does not name. */
  readonly isUnclear: boolean;
}

/** An argument whose name contains one of these words is a command. */
const COMMAND = new Set([
  ...['command', 'commands', 'cmd', 'cmds', 'cmdline', 'script', 'scripts', 'argv'],
  ...['shell', 'bash', 'exec', 'executable', 'program', 'binary', 'interpreter'],
]);
/** The entries are commands, or the words of one command: both are assumed. */
const LISTS = new Set(['commands', 'cmds', 'scripts']);
/** An argument whose name ends with one of these words only describes a command. */
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
/** An argument whose name ends with one of these words is text, which contains no paths. */
const TEXT = new Set([
  ...['content', 'contents', 'text', 'string', 'code', 'diff', 'patch', 'description', 'prompt'],
  ...['query', 'message', 'title', 'reason', 'instruction', 'instructions', 'explanation'],
]);
/** People are asked about a call that names more. */
const MAX_NAMED = 200;
const MAX_DEPTH = 8;
const MAX_PATH_CHARS = 4_096;
const USUAL_SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|k|z)?sh$/;

/**
 * Reads the arguments of a call by their names. Programs describe their tools in many ways, and report some commands as
 * reading. So the kind of the call excludes nothing, and a wrong match only adds a decision.
 */
export function namedArguments(input: JsonValue | undefined, workspace: string): NamedArguments {
  const reader = new Reader(workspace);
  if (isRecord(input)) reader.read(input, 0);
  else if (input !== undefined && input !== null) reader.readBare(input);
  return reader.found;
}

/** A command as a line of shell; undefined if the value is none. */
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
    const isTooMany = commands.length + paths.length + hosts.length > MAX_NAMED;
    return isTooMany
      ? { commands: commands.slice(0, MAX_NAMED), paths: [], hosts: [], isUnclear: true }
      : { commands, paths, hosts, isUnclear: this.#isUnclear };
  }

  read(input: Json, depth: number): void {
    if (depth > MAX_DEPTH) {
      this.#isUnclear = true;
      return;
    }
    const context = this.#commandContext(input);
    for (const [name, value] of Object.entries(input)) {
      // Some programs use the paths of changed files as names.
      if (looksLikePath(name)) this.#path(name);
      const words = wordsOf(name);
      const last = words.at(-1) ?? '';
      const isArgument = context.isCommand && hasOne(words, ARGUMENTS);
      if (hasOne(words, COMMAND) && !ABOUT.has(last) && !isArgument) {
        this.#command(words, value, context, depth);
      } else if (TEXT.has(last)) this.#each(value, depth, () => undefined);
      else if (hasOne(words, URLS)) this.#each(value, depth, (text) => this.#url(text));
      else if (hasOne(words, PATH)) this.#each(value, depth, (text) => this.#path(text));
      else this.#each(value, depth, (text) => this.#unnamed(text));
    }
  }

  /** Arguments without names. */
  readBare(input: JsonValue): void {
    const text = commandText(input);
    if (text !== undefined) this.#commands.add(text);
    this.#isUnclear = true;
  }

  #command(
    words: readonly string[],
    value: JsonValue,
    context: CommandContext,
    depth: number,
  ): void {
    // Names the shell of the command.
    if (context.isCommand && typeof value === 'string' && USUAL_SHELL.test(value)) return;
    const text = commandText(value);
    const { before, after } = context;
    if (text !== undefined) this.#commands.add(`${before}${text}${after}`);
    if (isRecord(value)) this.read(value, depth + 1);
    if (!Array.isArray(value)) return;
    const [first] = value;
    const isLine = typeof first === 'string' && /\S\s+\S/.test(first);
    const isList = isLine || hasOne(words, LISTS);
    for (const one of value) {
      if (isRecord(one)) this.read(one, depth + 1);
      else if (Array.isArray(one)) this.#command(words, one, context, depth + 1);
      else if (text === undefined) this.#isUnclear = true;
      else if (isList) this.#commands.add(`${before}${String(one)}`);
    }
  }

  /** Other arguments that belong to a command. */
  #commandContext(input: Json): CommandContext {
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
      if (depth > MAX_DEPTH) this.#isUnclear = true;
      else for (const one of value) this.#each(one, depth + 1, take);
    } else if (isRecord(value)) this.read(value, depth + 1);
  }

  #url(text: string): void {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol === 'file:') this.#path(pathOf(url));
    else if (url?.hostname) this.#hosts.add(url.hostname);
    else this.#path(text);
  }

  #unnamed(text: string): void {
    if (/^file:\/\//i.test(text)) this.#url(text);
    else if (looksLikePath(text)) this.#path(text);
  }

  #path(text: string): void {
    const isOne = text.length <= MAX_PATH_CHARS && !text.includes('\n');
    if (isOne) this.#paths.add(expanded(text));
    // A program may shorten it to a valid path.
    else if (looksLikePath(text)) this.#isUnclear = true;
  }
}

interface CommandContext {
  readonly isCommand: boolean;
  readonly before: string;
  readonly after: string;
}

const isRecord = (value: JsonValue | undefined): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isBare = (value: object): boolean => Object.keys(value).length === 0;

/** The words of a name in camel case or snake case. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);

const hasOne = (words: readonly string[], set: ReadonlySet<string>): boolean =>
  words.some((word) => set.has(word));

/** Whether a text is written like a path outside the workspace. */
const looksLikePath = (text: string): boolean =>
  /^(?:\/|~(?:\/|$))/.test(text) || /(?:^|\/)\.\.(?:\/|$)/.test(text);

const expanded = (path: string): string =>
  /^~(?:\/|$)/.test(path) ? join(homedir(), path.slice(1)) : path;

function pathOf(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch {
    // The URL names another host or contains invalid bytes: the root is surely outside the workspace.
    return '/';
  }
}

const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
