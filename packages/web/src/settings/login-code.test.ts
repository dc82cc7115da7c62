import { describe, expect, it } from 'vitest';
import { loginCodeIn } from './login-code.js';

describe('the login code in what was pasted', () => {
  it('is that of the link, or the text itself', () => {
    expect(loginCodeIn(' http://127.0.0.1:7117/login?code=a-b_c\n')).toBe('a-b_c');
    expect(loginCodeIn('a-b_c')).toBe('a-b_c');
    expect(loginCodeIn('http://127.0.0.1:7117/')).toBe('');
  });
});
