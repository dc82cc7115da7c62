import { expect, it } from 'vitest';
import { visibleText } from './visible-text.js';

it('what hides or reorders is written out, line breaks and letters are left alone', () => {
  expect(visibleText('rm\u202e -rf\u200b\tx\r\n\u001b[2Jé')).toBe(
    'rm\\u202e -rf\\u200b\tx\\u000d\n\\u001b[2Jé',
  );
});
