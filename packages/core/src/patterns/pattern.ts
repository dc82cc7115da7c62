import {
  type CharacterTest,
  characterTest,
  PatternProblem,
  parsePattern,
  type Syntax,
} from './pattern-syntax.js';

type Instruction =
  | { readonly do: 'take'; readonly fits: CharacterTest }
  | { readonly do: 'check'; readonly place: Extract<Syntax, { type: 'at' }>['place'] }
  | { readonly do: 'mark'; readonly slot: number }
  | { readonly do: 'forget'; readonly from: number; readonly to: number }
  /** The first way is the one to be preferred. */
  | { do: 'fork'; ways: readonly number[] }
  | { readonly do: 'end' };

/** The most instructions of one pattern, with what is repeated written out. */
const INSTRUCTIONS = 1_000;
const GROUPS = 20;

/** What matching may cost in all; throws when it has been spent. */
export interface Budget {
  spend(steps: number): void;
}

/**
 * A regular expression that cannot be made to run away: all ways through it are followed at once, and
 * each instruction at most once a character. A match takes no more than twice the instructions of the
 * pattern for each character of the text, whatever either holds.
 */
export class Pattern {
  readonly #program: readonly Instruction[];
  readonly #slots: number;

  /** Throws PatternProblem. */
  constructor(source: string) {
    const { syntax, groups } = parsePattern(source);
    // Each way carries what they held, so what a step costs depends on how many there are.
    if (groups > GROUPS) throw new PatternProblem(`it has more than ${String(GROUPS)} groups`);
    this.#slots = 2 * (groups + 1);
    const program: Instruction[] = [];
    emit({ type: 'group', index: 0, body: syntax }, program);
    program.push({ do: 'end' });
    this.#program = program;
  }

  get size(): number {
    return this.#program.length;
  }

  /** The first match with its groups, as `RegExp.exec` finds it; whatever the case. */
  exec(text: string, budget: Budget): readonly (string | undefined)[] | undefined {
    const characters = Array.from(text);
    const none: Marks = Array.from({ length: this.#slots }, () => undefined);
    const front = new Front(this.#program, characters);
    for (let at = 0; at <= characters.length; at++) {
      front.arrive(at);
      // Whoever begins later comes after all who began before.
      if (!front.found) front.follow(0, none);
      budget.spend(front.takeSteps());
      if (front.found && front.isOver) break;
    }
    return front.found && groupsOf(front.found, characters);
  }
}

/** Where each group begins and ends so far. */
type Marks = readonly (number | undefined)[];

interface Way {
  readonly next: number;
  readonly marks: Marks;
}

/** The ways that stand before one character, the preferred first, and the best match so far. */
class Front {
  found: Marks | undefined;
  #at = 0;
  #steps = 0;
  #ways: Way[] = [];
  /** The place of each instruction's last visit, counted from one. */
  readonly #visited: Uint32Array;

  constructor(
    private readonly program: readonly Instruction[],
    private readonly characters: readonly string[],
  ) {
    this.#visited = new Uint32Array(program.length);
  }

  get isOver(): boolean {
    return this.#ways.length === 0;
  }

  takeSteps(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }

  /** Takes the ways over the character before this place. */
  arrive(at: number): void {
    const character = this.characters[at - 1] ?? '';
    const ways = this.#ways;
    this.#ways = [];
    this.#at = at;
    this.#steps += ways.length;
    for (const { next, marks } of ways) {
      const instruction = this.program[next];
      if (instruction?.do !== 'take' || !instruction.fits(character)) continue;
      if (this.follow(next + 1, marks)) return;
    }
  }

  /** Goes on as far as no character is needed; true when that is a match, which ends what comes after. */
  follow(next: number, marks: Marks): boolean {
    if (this.#visited[next] === this.#at + 1) return false;
    this.#visited[next] = this.#at + 1;
    this.#steps += 1;
    const instruction = this.program[next];
    switch (instruction?.do) {
      case 'take':
        this.#ways.push({ next, marks });
        return false;
      case 'check':
        return this.#holds(instruction.place) && this.follow(next + 1, marks);
      case 'mark':
        return this.follow(next + 1, marks.with(instruction.slot, this.#at));
      case 'forget':
        return this.follow(next + 1, forget(marks, instruction.from, instruction.to));
      case 'fork':
        for (const way of instruction.ways) if (this.follow(way, marks)) return true;
        return false;
      default:
        this.found = marks;
        return true;
    }
  }

  #holds(place: Extract<Instruction, { do: 'check' }>['place']): boolean {
    const { characters } = this;
    const at = this.#at;
    if (place === 'start') return at === 0;
    if (place === 'end') return at === characters.length;
    const isBoundary = isWord(characters[at - 1]) !== isWord(characters[at]);
    return isBoundary === (place === 'boundary');
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
  if (program.length > INSTRUCTIONS) {
    throw new PatternProblem('it is too large with everything repeated written out');
  }
  switch (syntax.type) {
    case 'character':
      program.push({ do: 'take', fits: syntax.fits });
      return;
    case 'at':
      program.push({ do: 'check', place: syntax.place });
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
  fork.ways = begins;
  for (const leave of leaves) leave.ways = [program.length];
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
    addFork(program).ways = [inside - 1];
    fork.ways = choose(inside);
    return;
  }
  const forks = [];
  for (let count = min; count < max; count++) {
    forks.push([addFork(program), program.length] as const);
    once();
  }
  for (const [fork, inside] of forks) fork.ways = choose(inside);
}

/** Its ways are known when what they lead around has been written. */
function addFork(program: Instruction[]): Extract<Instruction, { do: 'fork' }> {
  const fork: Extract<Instruction, { do: 'fork' }> = { do: 'fork', ways: [] };
  program.push(fork);
  return fork;
}
