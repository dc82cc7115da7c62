import {
  type CharacterTest,
  characterTest,
  PatternProblem,
  parsePattern,
  type Syntax,
} from './pattern-syntax.js';

type Instruction =
  | { readonly do: 'take'; readonly fits: CharacterTest }
  | { readonly do: 'check'; readonly anchor: Extract<Syntax, { type: 'at' }>['anchor'] }
  | { readonly do: 'mark'; readonly slot: number }
  | { readonly do: 'forget'; readonly from: number; readonly to: number }
  /** The first path is preferred. */
  | { do: 'fork'; targets: readonly number[] }
  | { readonly do: 'end' };

/** The maximum size of a pattern, with all repetitions expanded. */
const MAX_INSTRUCTIONS = 1_000;
const MAX_GROUPS = 20;

/** Limits the total cost of matching. `spend` throws when the budget is exceeded. */
export interface Budget {
  spend(steps: number): void;
}

/**
 * A regular expression with bounded cost: all paths through it are followed at once, and each instruction runs at most once for
 * each character. So a match takes at most twice the instructions of the pattern for each character of the text.
 */
export class Pattern {
  readonly #program: readonly Instruction[];
  readonly #slots: number;

  /** Throws PatternProblem. */
  constructor(source: string) {
    const { syntax, groups } = parsePattern(source);
    // Each path carries the positions of all groups, so their number determines the cost of a step.
    if (groups > MAX_GROUPS)
      throw new PatternProblem(`it has more than ${String(MAX_GROUPS)} groups`);
    this.#slots = 2 * (groups + 1);
    const program: Instruction[] = [];
    emit({ type: 'group', index: 0, body: syntax }, program);
    program.push({ do: 'end' });
    this.#program = program;
  }

  get size(): number {
    return this.#program.length;
  }

  /** The first match with its groups, as `RegExp.exec` finds it, ignoring case. */
  exec(text: string, budget: Budget): readonly (string | undefined)[] | undefined {
    const characters = Array.from(text);
    const none: Marks = Array.from({ length: this.#slots }, () => undefined);
    const front = new Front(this.#program, characters);
    for (let at = 0; at <= characters.length; at++) {
      front.advance(at);
      // Paths that begin earlier are preferred.
      if (!front.found) front.follow(0, none);
      budget.spend(front.takeSteps());
      if (front.found && front.isOver) break;
    }
    return front.found && groupsOf(front.found, characters);
  }
}

/** The start and end positions of the groups so far. */
type Marks = readonly (number | undefined)[];

interface Path {
  readonly next: number;
  readonly marks: Marks;
}

/** The paths at one position of the text, the preferred one first, and the best match so far. */
class Front {
  found: Marks | undefined;
  #at = 0;
  #steps = 0;
  #paths: Path[] = [];
  /** The position of the last visit of each instruction, counted from one. */
  readonly #visited: Uint32Array;

  constructor(
    private readonly program: readonly Instruction[],
    private readonly characters: readonly string[],
  ) {
    this.#visited = new Uint32Array(program.length);
  }

  get isOver(): boolean {
    return this.#paths.length === 0;
  }

  takeSteps(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }

  /** Advances all paths over the character before this position. */
  advance(at: number): void {
    const character = this.characters[at - 1] ?? '';
    const paths = this.#paths;
    this.#paths = [];
    this.#at = at;
    this.#steps += paths.length;
    for (const { next, marks } of paths) {
      const instruction = this.program[next];
      if (instruction?.do !== 'take' || !instruction.fits(character)) continue;
      if (this.follow(next + 1, marks)) return;
    }
  }

  /** Follows instructions that take no character. Returns true for a match, which ends less preferred paths. */
  follow(next: number, marks: Marks): boolean {
    if (this.#visited[next] === this.#at + 1) return false;
    this.#visited[next] = this.#at + 1;
    this.#steps += 1;
    const instruction = this.program[next];
    switch (instruction?.do) {
      case 'take':
        this.#paths.push({ next, marks });
        return false;
      case 'check':
        return this.#holds(instruction.anchor) && this.follow(next + 1, marks);
      case 'mark':
        return this.follow(next + 1, marks.with(instruction.slot, this.#at));
      case 'forget':
        return this.follow(next + 1, forget(marks, instruction.from, instruction.to));
      case 'fork':
        for (const target of instruction.targets) if (this.follow(target, marks)) return true;
        return false;
      default:
        this.found = marks;
        return true;
    }
  }

  #holds(anchor: Extract<Instruction, { do: 'check' }>['anchor']): boolean {
    const { characters } = this;
    const at = this.#at;
    if (anchor === 'start') return at === 0;
    if (anchor === 'end') return at === characters.length;
    const isBoundary = isWord(characters[at - 1]) !== isWord(characters[at]);
    return isBoundary === (anchor === 'boundary');
  }
}

const forget = (marks: Marks, from: number, to: number): Marks =>
  marks.map((mark, slot) => (slot >= from && slot < to ? undefined : mark));

const fitsWord = characterTest('\\w');
const isWord = (character: string | undefined): boolean =>
  character !== undefined && fitsWord(character);

function groupsOf(marks: Marks, characters: readonly string[]): (string | undefined)[] {
  return Array.from({ length: marks.length / 2 }, (_, group) => {
    const [from, to] = [marks[2 * group], marks[2 * group + 1]];
    return from === undefined || to === undefined ? undefined : characters.slice(from, to).join('');
  });
}

function emit(syntax: Syntax, program: Instruction[]): void {
  if (program.length > MAX_INSTRUCTIONS) {
    throw new PatternProblem('it is too large with all repetitions expanded');
  }
  switch (syntax.type) {
    case 'character':
      program.push({ do: 'take', fits: syntax.fits });
      return;
    case 'at':
      program.push({ do: 'check', anchor: syntax.anchor });
      return;
    case 'group':
      if (syntax.index !== undefined) program.push({ do: 'mark', slot: 2 * syntax.index });
      emit(syntax.body, program);
      if (syntax.index !== undefined) program.push({ do: 'mark', slot: 2 * syntax.index + 1 });
      return;
    case 'sequence':
      for (const part of syntax.parts) emit(part, program);
      return;
    case 'choice':
      emitChoice(syntax.options, program);
      return;
    case 'repeat':
      emitRepeat(syntax, program);
  }
}

function emitChoice(options: readonly Syntax[], program: Instruction[]): void {
  const fork = addFork(program);
  const begins: number[] = [];
  const leaves = options.map((option) => {
    begins.push(program.length);
    emit(option, program);
    return addFork(program);
  });
  fork.targets = begins;
  for (const leave of leaves) leave.targets = [program.length];
}

function emitRepeat(
  { body, min, max, isLazy, groups: [first, after] }: Extract<Syntax, { type: 'repeat' }>,
  program: Instruction[],
): void {
  const once = (): void => {
    if (after > first) program.push({ do: 'forget', from: 2 * first, to: 2 * after });
    emit(body, program);
  };
  const choose = (inside: number): readonly number[] =>
    isLazy ? [program.length, inside] : [inside, program.length];
  for (let count = 0; count < min; count++) once();
  if (max === Infinity) {
    const fork = addFork(program);
    const inside = program.length;
    once();
    addFork(program).targets = [inside - 1];
    fork.targets = choose(inside);
    return;
  }
  const forks = [];
  for (let count = min; count < max; count++) {
    forks.push([addFork(program), program.length] as const);
    once();
  }
  for (const [fork, inside] of forks) fork.targets = choose(inside);
}

/** Its targets are set when the code between them was added. */
function addFork(program: Instruction[]): Extract<Instruction, { do: 'fork' }> {
  const fork: Extract<Instruction, { do: 'fork' }> = { do: 'fork', targets: [] };
  program.push(fork);
  return fork;
}
