import { expect, it } from 'vitest';
import { argumentsInLines, argumentTexts } from './argument-texts.js';

it('R-19 a string argument is shown unchanged, with its lines, and other values as JSON', () => {
  expect(argumentTexts({ command: 'ls\npwd', timeout: 5, env: { a: 'b' } })).toEqual([
    { name: 'command', text: 'ls\npwd' },
    { name: 'timeout', text: '5' },
    { name: 'env', text: '{\n  "a": "b"\n}' },
  ]);
  expect(argumentTexts(['x'])).toEqual([{ name: 'input', text: '[\n  "x"\n]' }]);
});

it('R-19 no line of an argument, and no name, looks like another argument', () => {
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
