import { expect, it } from 'vitest';
import { argumentsInLines, argumentTexts } from './argument-texts.js';

it('R-19 an argument stands as it is, with its lines, and what is no text as JSON', () => {
  expect(argumentTexts({ command: 'ls\npwd', timeout: 5, env: { a: 'b' } })).toEqual([
    { name: 'command', text: 'ls\npwd' },
    { name: 'timeout', text: '5' },
    { name: 'env', text: '{\n  "a": "b"\n}' },
  ]);
  expect(argumentTexts(['x'])).toEqual([{ name: 'input', text: '[\n  "x"\n]' }]);
});

it('R-19 no line of an argument passes for another argument, nor does its name', () => {
  const input = { command: 'ls\ndescription:\r\n    harmless\rrm -rf ~', 'a:\nb': 'x' };
  expect(argumentsInLines(input).split('\n')).toEqual([
    'command:',
    '    ls',
    '    description:',
    '        harmless',
    '    rm -rf ~',
    '"a:\\nb":',
    '    x',
  ]);
});
