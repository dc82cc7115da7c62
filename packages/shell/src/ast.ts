/**
 * A script as it was written. Nothing here is expanded: what a word becomes when it runs is a
 * question for `argument.ts`, and which commands could run one for `commands-of.ts`.
 */
export interface Script {
  readonly items: readonly ListItem[];
}

export interface ListItem {
  readonly pipelines: readonly ChainedPipeline[];
  readonly background: boolean;
}

export interface ChainedPipeline {
  /** What joins it to the one before it; the first has none. */
  readonly after?: '&&' | '||';
  readonly pipeline: Pipeline;
}

export interface Pipeline {
  readonly negated: boolean;
  readonly timed: boolean;
  readonly commands: readonly CommandNode[];
}

export type CommandNode = SimpleCommand | FunctionDefinition | CompoundCommand;

export interface SimpleCommand {
  readonly type: 'simple';
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
}

interface FunctionDefinition {
  readonly type: 'function';
  readonly name: string;
  readonly body: CompoundCommand;
}

export interface CompoundCommand {
  readonly type: 'compound';
  readonly shape: CompoundShape;
  readonly redirections: readonly Redirection[];
}

export type CompoundShape =
  | { readonly type: 'subshell'; readonly body: Script }
  | { readonly type: 'group'; readonly body: Script }
  | { readonly type: 'if'; readonly branches: readonly Branch[]; readonly otherwise?: Script }
  | { readonly type: 'while' | 'until'; readonly condition: Script; readonly body: Script }
  | {
      readonly type: 'for' | 'select';
      readonly variable: string;
      /** Without it, the positional parameters. */
      readonly words?: readonly Word[];
      readonly body: Script;
    }
  | { readonly type: 'arithmetic_for'; readonly head: ArithmeticPart; readonly body: Script }
  | { readonly type: 'case'; readonly subject: Word; readonly arms: readonly CaseArm[] }
  | { readonly type: 'test'; readonly expression: TestExpression }
  | { readonly type: 'arithmetic'; readonly expression: ArithmeticPart };

export interface Branch {
  readonly condition: Script;
  readonly body: Script;
}

export interface CaseArm {
  readonly patterns: readonly Word[];
  readonly body: Script;
}

/** The expression between `[[` and `]]`. */
export type TestExpression =
  | { readonly type: 'word'; readonly word: Word }
  | { readonly type: 'unary'; readonly operator: string; readonly operand: Word }
  | {
      readonly type: 'binary';
      readonly operator: string;
      readonly left: Word;
      readonly right: Word;
    }
  | { readonly type: 'not'; readonly operand: TestExpression }
  | {
      readonly type: 'and' | 'or';
      readonly left: TestExpression;
      readonly right: TestExpression;
    };

export interface Assignment {
  readonly name: string;
  readonly subscript?: readonly WordPart[];
  readonly append: boolean;
  readonly value: Word | { readonly elements: readonly Word[] };
}

export type Redirection = FileRedirection | HereDocument;

export interface FileRedirection {
  readonly type: 'file';
  readonly operator: '<' | '>' | '>>' | '>|' | '<>' | '<&' | '>&' | '&>' | '&>>' | '<<<';
  readonly target: Word;
}

export interface HereDocument {
  readonly type: 'here_document';
  readonly delimiter: string;
  /** A quoted delimiter: nothing in the body is expanded. */
  readonly verbatim: boolean;
  readonly body: readonly WordPart[];
}

export interface Word {
  readonly parts: readonly WordPart[];
}

export type WordPart =
  | { readonly type: 'literal'; readonly text: string }
  /** In single quotes, in `$'…'`, behind a backslash, or plain text in double quotes. */
  | { readonly type: 'quoted'; readonly text: string }
  | { readonly type: 'double'; readonly parts: readonly WordPart[] }
  | { readonly type: 'tilde'; readonly text: string }
  | { readonly type: 'glob'; readonly text: string }
  | { readonly type: 'brace'; readonly text: string }
  | { readonly type: 'command'; readonly script: Script }
  | { readonly type: 'process'; readonly direction: 'in' | 'out'; readonly script: Script }
  | ParameterPart
  | ArithmeticPart;

export interface ParameterPart {
  readonly type: 'parameter';
  readonly name: string;
  /** What is applied to the value: `:-`, `%%`, `//`, `@P`, `#` for its length, `!` for indirection. */
  readonly operator?: string;
  readonly subscript?: readonly WordPart[];
  readonly operand?: readonly WordPart[];
}

export interface ArithmeticPart {
  readonly type: 'arithmetic';
  readonly parts: readonly WordPart[];
}
