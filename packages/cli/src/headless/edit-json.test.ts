import { describe, expect, it } from 'vitest';
import { editJson, parsed } from './edit-json.js';

describe('editing arguments', () => {
  it('gives what the editor left behind', () => {
    const editor = `sed -i.old -e s/npm/pnpm/`;
    expect(editJson({ command: 'npm test' }, editor)).toEqual({
      type: 'edited',
      value: { command: 'pnpm test' },
    });
  });

  it('tells no change from a change, and says what went wrong', () => {
    expect(editJson({ a: 1 }, 'true')).toEqual({ type: 'unchanged' });
    expect(editJson({ a: 1 }, 'false')).toMatchObject({ type: 'invalid' });
    expect(editJson({ a: 1 }, 'echo oops >')).toMatchObject({ type: 'invalid' });
    expect(parsed('{"a":2}')).toEqual({ type: 'edited', value: { a: 2 } });
  });
});
