import { type Argument, argumentOf } from './argument.js';
import type { CommandNode, ListItem, Script } from './ast.js';
import { parseScript } from './parse-script.js';
import { innerOf } from './wrappers.js';

const DEEPEST = 8;

/** A command that a script certainly waits for before it does anything else. */
export interface FirstCommand {
  readonly argv: readonly Argument[];
  /** The names of what it is wrapped in, such as `timeout`, the outermost first. */
  readonly wrappers: readonly string[];
}

/** The command a script begins with, behind groups, shells and wrappers; undefined where it is not waited for. */
export function firstCommand(script: Script): FirstCommand | undefined {
  return firstOfScript(script, [], 0);
}

function firstOfScript(
  script: Script,
  wrappers: readonly string[],
  depth: number,
): FirstCommand | undefined {
  const [item] = script.items;
  if (depth > DEEPEST || !item || item.background) return undefined;
  return firstOfItem(item, wrappers, depth);
}

function firstOfItem(
  { pipelines }: ListItem,
  wrappers: readonly string[],
  depth: number,
): FirstCommand | undefined {
  const commands = pipelines[0]?.pipeline.commands ?? [];
  const [command] = commands;
  return commands.length === 1 && command ? firstOfCommand(command, wrappers, depth) : undefined;
}

function firstOfCommand(
  node: CommandNode,
  wrappers: readonly string[],
  depth: number,
): FirstCommand | undefined {
  if (node.type === 'simple') return unwrap(node.words.map(argumentOf), wrappers, depth);
  if (node.type !== 'compound') return undefined;
  const { shape } = node;
  const isGroup = shape.type === 'subshell' || shape.type === 'group';
  return isGroup ? firstOfScript(shape.body, wrappers, depth + 1) : undefined;
}

/** Looks through what only runs something else. */
export function unwrap(
  argv: readonly Argument[],
  wrappers: readonly string[],
  depth: number,
): FirstCommand | undefined {
  const [name] = argv;
  if (depth > DEEPEST || name?.type !== 'fixed') return undefined;
  const inner = innerOf(argv);
  if (inner.type === 'command') return unwrap(inner.argv, [...wrappers, name.text], depth + 1);
  if (inner.type !== 'script') return { argv, wrappers };
  const parsed = parseScript(inner.text);
  return parsed.ok ? firstOfScript(parsed.script, [...wrappers, name.text], depth + 1) : undefined;
}
