import { StoaError } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { GUIDE } from './guide.js';
import { parseScript } from './parse-script.js';
import { RESIDENTS } from './residents.js';

/** The error message for a script; undefined if it is valid. */
function scriptProblem(text: string, source?: string): string | undefined {
  try {
    parseScript(text, source);
    return undefined;
  } catch (error) {
    if (error instanceof StoaError) return error.message;
    throw error;
  }
}

describe('a script', () => {
  it.each([
    ['turns: [', 'script:1: '],
    ['turns: 5', 'script:1: turns: Invalid input: expected array'],
    ['{}', 'script:1: the script: there is nothing to play'],
    ['turns:\n  - steps: []', 'script:2: turns.1.steps: '],
    [
      'turns:\n  - steps:\n      - say: a\n      - yell: b',
      'script:4: turns.1.steps.2: unknown field yell',
    ],
    ['turns:\n  - steps:\n      - {}', 'script:3: turns.1.steps.1: a step needs one of wait, say'],
    [
      'turns:\n  - when: { matches: "(" }\n    steps: [{ say: a }]',
      'script:2: turns.1.when.matches: ',
    ],
    [
      'turns:\n  - steps:\n      - say: |\n          ${nope}',
      'script:3: turns.1.steps.1.say: ${nope}: there is no such placeholder; there are input,',
    ],
    [
      'turns:\n  - steps:\n      - say: ${results.x}\n      - call: { tool: t, as: x }',
      'script:3: turns.1.steps.1.say: ${results.x}: no call before this one is named x',
    ],
    [
      'otherwise:\n  - repeat:\n      times: 200\n      steps:\n        - repeat: { times: 200, steps: [{ say: a }] }',
      'more than 10000 steps in one turn',
    ],
    [
      'otherwise:\n  - repeat:\n      times: 2\n      steps:\n        - call: { tol: a }',
      'script:5: otherwise.1.repeat.steps.1.call: ',
    ],
    ['otherwise: [{ say: a }]\notherwise: [{ say: b }]', 'script:2: Map keys must be unique'],
    ['otherwise: [{ pass: false }]', 'script:1: otherwise.1.pass: must be one of true'],
  ])('%j is refused with its line', (text, expected) => {
    expect(scriptProblem(text)).toContain(expected);
  });

  it('names every problem at once, with the file', () => {
    const problem = scriptProblem('turns:\n  - steps: 1\n  - steps: 2\n', 'a.yaml');
    expect(problem?.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'a.yaml:2:',
      'a.yaml:3:',
    ]);
  });

  it('uses $${ for a literal ${', () => {
    expect(scriptProblem('otherwise: [{ say: "$${nope}" }]')).toBeUndefined();
  });

  it('expands repetitions', () => {
    const { otherwise } = parseScript(
      'otherwise: [{ repeat: { times: 2, steps: [{ say: a }, { wait: 1 }] } }, { say: b }]',
    );
    expect(otherwise?.map(({ round, say }) => [round, say?.text])).toEqual([
      [1, 'a'],
      [1, undefined],
      [2, 'a'],
      [2, undefined],
      [1, 'b'],
    ]);
  });

  it('is valid in the guide', () => {
    const { driver } = GUIDE;
    if (driver.kind !== 'script') throw new Error('the guide is not a script');
    expect(scriptProblem(driver.script ?? '')).toBeUndefined();
  });

  it.each(RESIDENTS)('is valid in $agentId', ({ definition: { driver } }) => {
    if (driver.kind !== 'script') throw new Error('it is not a script');
    expect(scriptProblem(driver.script ?? '')).toBeUndefined();
  });

  it('refers to fields of the last message, and to no others', () => {
    const problem = (name: string) => scriptProblem(`otherwise: [{ say: "\${${name}}" }]`);
    expect(problem('last.message')).toBeUndefined();
    expect(problem('last')).toContain('${last}: there is no such placeholder');
    expect(problem('last.words')).toContain('${last.words}: there is no such placeholder');
  });
});
