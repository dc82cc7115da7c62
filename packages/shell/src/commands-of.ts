import { ANYTHING, type Argument, argumentOf, fixed } from './argument.js';
import type {
  Assignment,
  CommandNode,
  CompoundShape,
  ParameterPart,
  Redirection,
  Script,
  SimpleCommand,
  TestExpression,
  Word,
  WordPart,
} from './ast.js';
import { effectOf, RUNNING_VARIABLES } from './builtin-effects.js';

import { parseScript } from './parse-script.js';
import { innerOf } from './wrappers.js';

/** A wrapper around a command: what was written, and how much of it is the wrapper's own. */
interface Wrapping {
  readonly argv: readonly Argument[];
  /** Where what it runs begins; nothing if that is not one of its words. */
  readonly innerAt: number | undefined;
  /** Permission for what runs inside is permission for the whole. */
  readonly transparent: boolean;
}

export interface OpenedFile {
  readonly operator: Extract<Redirection, { type: 'file' }>['operator'];
  readonly target: Argument;
}

/** A command that could run. */
export interface Command {
  /** What really runs, behind all wrappers; empty where there are only assignments or redirections. */
  readonly argv: readonly Argument[];
  /** The wrappers around it, the outermost first. */
  readonly wrappers: readonly Wrapping[];
  /** The variables that are set for it, or by it. */
  readonly assignments: readonly string[];
  readonly files: readonly OpenedFile[];
  /** The script gives it input: a file, text, the output of another command. */
  readonly fed: boolean;
  /** It runs to become a part of another command. */
  readonly substituted: boolean;
}

const DEEPEST_SCRIPT = 8;

const UNKNOWN_COMMAND: readonly Argument[] = [ANYTHING];

interface Context {
  readonly substituted: boolean;
  readonly fed: boolean;
  readonly wrappers: readonly Wrapping[];
  /** How many scripts in words lie around this one. */
  readonly depth: number;
}

/**
 * Every command that could run anywhere in a script: in substitutions, conditions, loops that may
 * never be entered, functions that may never be called, scripts that are words of other commands.
 * A command that cannot be determined is listed with an unknown name.
 */
export function commandsOf(script: Script): readonly Command[] {
  const found: Command[] = [];
  visitScript(script, { substituted: false, fed: false, wrappers: [], depth: 0 }, found);
  return found.some(feedsTheRest) ? found.map((command) => ({ ...command, fed: true })) : found;
}

/** `exec < file` is the input of every command behind it. */
function feedsTheRest({ argv: [name, ...rest], fed }: Command): boolean {
  return fed && rest.length === 0 && name?.type === 'fixed' && name.text === 'exec';
}

function visitScript(script: Script, context: Context, found: Command[]): void {
  for (const { pipelines } of script.items) {
    for (const { pipeline } of pipelines) {
      for (const [index, command] of pipeline.commands.entries()) {
        visitCommand(command, index === 0 ? context : { ...context, fed: true }, found);
      }
    }
  }
}

function visitCommand(node: CommandNode, context: Context, found: Command[]): void {
  switch (node.type) {
    case 'simple':
      visitSimple(node, context, found);
      return;
    case 'function':
      // The name means something else from here on, and a caller may give it input.
      add(found, context, { assignments: [node.name] });
      visitCommand(node.body, { ...context, fed: true }, found);
      return;
    case 'compound': {
      visitRedirections(node.redirections, context, found);
      const files = filesOf(node.redirections);
      const within = fedBy(node.redirections, context);
      if (files.length > 0) add(found, within, { files });
      visitShape(node.shape, within, found);
    }
  }
}

function visitShape(shape: CompoundShape, context: Context, found: Command[]): void {
  switch (shape.type) {
    case 'subshell':
    case 'group':
      visitScript(shape.body, context, found);
      return;
    case 'if':
      for (const { condition, body } of shape.branches) {
        visitScript(condition, context, found);
        visitScript(body, context, found);
      }
      if (shape.otherwise) visitScript(shape.otherwise, context, found);
      return;
    case 'while':
    case 'until':
      visitScript(shape.condition, context, found);
      visitScript(shape.body, context, found);
      return;
    case 'for':
    case 'select':
      add(found, context, { assignments: [shape.variable] });
      visitWords(shape.words ?? [], context, found);
      visitScript(shape.body, context, found);
      return;
    case 'arithmetic_for':
      // A shell without it would read commands here, as with a calculation on its own below.
      add(found, context, { argv: UNKNOWN_COMMAND });
      visitParts(shape.head.parts, context, found);
      visitScript(shape.body, context, found);
      return;
    case 'case':
      visitWords([shape.subject, ...shape.arms.flatMap((arm) => arm.patterns)], context, found);
      for (const { body } of shape.arms) visitScript(body, context, found);
      return;
    case 'test':
      visitTest(shape.expression, context, found);
      return;
    case 'arithmetic':
      add(found, context, { argv: UNKNOWN_COMMAND });
      visitParts(shape.expression.parts, context, found);
  }
}

/** `[[ … ]]` is the command of that name, with the words it is made of. */
function visitTest(expression: TestExpression, context: Context, found: Command[]): void {
  const { words, calculates } = wordsOfTest(expression);
  visitWords(words, context, found);
  add(found, context, { argv: [fixed('[['), ...words.map(argumentOf), fixed(']]')] });
  if (calculates) add(found, context, { argv: UNKNOWN_COMMAND });
}

function visitSimple(node: SimpleCommand, context: Context, found: Command[]): void {
  for (const assignment of node.assignments) visitAssignment(assignment, context, found);
  visitWords(node.words, context, found);
  visitRedirections(node.redirections, context, found);
  const shared = {
    assignments: node.assignments.map(({ name }) => name),
    files: filesOf(node.redirections),
  };
  const within = fedBy(node.redirections, context);
  if (node.words.length === 0) {
    if (shared.assignments.length + shared.files.length > 0) add(found, within, shared);
    else if (context.substituted) add(found, within, {});
    return;
  }
  visitArgv(node.words.map(argumentOf), shared, within, found);
}

function fedBy(redirections: readonly Redirection[], context: Context): Context {
  const feeds = redirections.some((redirection) => {
    if (redirection.type === 'here_document') return true;
    const target = argumentOf(redirection.target);
    const empty = target.type === 'fixed' && target.text === '/dev/null';
    return redirection.operator.startsWith('<') && !empty;
  });
  return feeds ? { ...context, fed: true } : context;
}

type Shared = Pick<Command, 'assignments' | 'files'>;

/** Adds what runs, looking through wrappers. */
function visitArgv(
  argv: readonly Argument[],
  shared: Shared,
  context: Context,
  found: Command[],
): void {
  const inner = innerOf(argv);
  const within = (innerAt: number | undefined, transparent: boolean): Context => ({
    ...context,
    wrappers: [...context.wrappers, { argv, innerAt, transparent }],
  });
  switch (inner.type) {
    case 'nothing': {
      const { assigns, unknown } = effectOf(argv);
      const assignments = [...shared.assignments, ...assigns];
      add(found, context, { ...shared, assignments, argv });
      if (unknown) add(found, context, { argv: UNKNOWN_COMMAND });
      return;
    }
    case 'besides':
      add(found, context, { ...shared, argv });
      for (const command of inner.commands) visitArgv(command, shared, context, found);
      return;
    case 'command':
      visitArgv(inner.argv, shared, within(inner.at, inner.transparent), found);
      return;
    case 'unknown':
      add(found, within(undefined, false), { ...shared, argv: UNKNOWN_COMMAND });
      return;
    case 'script':
      visitInnerScript(inner.text, shared, within(undefined, inner.transparent), found);
  }
}

function visitInnerScript(text: string, shared: Shared, context: Context, found: Command[]): void {
  const parsed = context.depth < DEEPEST_SCRIPT ? parseScript(text) : undefined;
  if (!parsed?.ok) {
    add(found, context, { ...shared, argv: UNKNOWN_COMMAND });
    return;
  }
  add(found, context, shared);
  visitScript(parsed.script, { ...context, depth: context.depth + 1 }, found);
}

function visitAssignment(assignment: Assignment, context: Context, found: Command[]): void {
  const { name, subscript, value } = assignment;
  if (subscript) visitParts(subscript, context, found);
  if (subscript ? calculatesVariables(subscript) : RUNNING_VARIABLES.has(name)) {
    add(found, context, { argv: UNKNOWN_COMMAND });
  }
  visitWords('elements' in value ? value.elements : [value], context, found);
}

function visitRedirections(
  redirections: readonly Redirection[],
  context: Context,
  found: Command[],
): void {
  for (const redirection of redirections) {
    const file = redirection.type === 'file';
    visitParts(file ? redirection.target.parts : redirection.body, context, found);
  }
}

function filesOf(redirections: readonly Redirection[]): readonly OpenedFile[] {
  return redirections.flatMap((redirection) =>
    redirection.type === 'file'
      ? [{ operator: redirection.operator, target: argumentOf(redirection.target) }]
      : [],
  );
}

function visitWords(words: readonly Word[], context: Context, found: Command[]): void {
  for (const { parts } of words) visitParts(parts, context, found);
}

function visitParts(parts: readonly WordPart[], context: Context, found: Command[]): void {
  for (const part of parts) {
    switch (part.type) {
      case 'literal':
      case 'quoted':
      case 'tilde':
      case 'glob':
      case 'brace':
        break;
      case 'double':
        visitParts(part.parts, context, found);
        break;
      case 'command':
      case 'process':
        visitScript(part.script, { ...context, substituted: true }, found);
        break;
      case 'arithmetic':
        visitParts(part.parts, context, found);
        if (calculatesVariables(part.parts)) add(found, context, { argv: UNKNOWN_COMMAND });
        break;
      case 'parameter':
        visitParts([...(part.subscript ?? []), ...(part.operand ?? [])], context, found);
        if (runsItsValue(part)) add(found, context, { argv: UNKNOWN_COMMAND });
        if (assignsItsValue(part)) add(found, context, { assignments: [part.name] });
    }
  }
}

function add(found: Command[], context: Context, command: Partial<Command>): void {
  found.push({
    argv: [],
    wrappers: context.wrappers,
    assignments: [],
    files: [],
    fed: context.fed,
    substituted: context.substituted,
    ...command,
  });
}

interface TestWords {
  /** In the order they were written, operators too. */
  readonly words: readonly Word[];
  /** It reads the value of a variable as a calculation, which can run commands. */
  readonly calculates: boolean;
}

function wordsOfTest(expression: TestExpression): TestWords {
  switch (expression.type) {
    case 'word':
      return { words: [expression.word], calculates: false };
    case 'unary': {
      const { operator, operand } = expression;
      const names = operator === '-v' || operator === '-R';
      const calculates = names && mayHaveSubscript(operand);
      return { words: [literal(operator), operand], calculates };
    }
    case 'binary': {
      const { operator, left, right } = expression;
      const numeric = /^-(?:eq|ne|lt|le|gt|ge)$/.test(operator);
      const calculates = numeric && calculatesVariables([...left.parts, ...right.parts]);
      return { words: [left, literal(operator), right], calculates };
    }
    case 'not':
      return wordsOfTest(expression.operand);
    case 'and':
    case 'or': {
      const left = wordsOfTest(expression.left);
      const right = wordsOfTest(expression.right);
      return {
        words: [...left.words, ...right.words],
        calculates: left.calculates || right.calculates,
      };
    }
  }
}

function mayHaveSubscript(word: Word): boolean {
  const argument = argumentOf(word);
  return argument.type !== 'fixed' || argument.text.includes('[');
}

function literal(text: string): Word {
  return { parts: [{ type: 'literal', text }] };
}

/** Numbers in every base; what is left with a letter in it is a variable. */
const NUMBERS = /\b(?:0[xX][0-9a-fA-F]+|\d+#\w+|\d+)\b/g;

/** Parameters whose values are numbers. */
const COUNTING: ReadonlySet<string> = new Set('#?$!');

/**
 * Whether calculating this can run a command: the value of a variable is read as a calculation
 * again, and a subscript in that one as a word with substitutions (`x='a[$(id)]'; echo $((x))`).
 */
function calculatesVariables(parts: readonly WordPart[]): boolean {
  return parts.some((part) => {
    if ('text' in part) return /[A-Za-z_]/.test(part.text.replaceAll(NUMBERS, ''));
    if (part.type === 'double') return calculatesVariables(part.parts);
    if (part.type !== 'parameter') return true;
    return !(COUNTING.has(part.name) || part.operator === '#');
  });
}

/** Whether expanding this can run a command that is not written in it. */
function runsItsValue(part: ParameterPart): boolean {
  if (part.operator === '!' || part.operator === '@P') return true;
  if (part.operator === ':' && calculatesVariables(part.operand ?? [])) return true;
  return part.subscript !== undefined && calculatesVariables(part.subscript);
}

/** Whether expanding this gives its variable a value. */
function assignsItsValue(part: ParameterPart): boolean {
  return part.operator === '=' || part.operator === ':=';
}
