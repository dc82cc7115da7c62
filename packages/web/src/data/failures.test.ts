import { StoaProblem } from '@stoa/client';
import { describe, expect, it } from 'vitest';
import { isMissing } from './failures.js';

describe('an address with nothing under it', () => {
  it('is one whose id is unknown, or is none at all', () => {
    expect(isMissing(new StoaProblem('session_not_found', 404, 'There is no such session'))).toBe(
      true,
    );
    const malformed = [{ path: 'params.sessionId', message: 'must match pattern "^ses_"' }];
    expect(isMissing(new StoaProblem('invalid_request', 400, 'no id', malformed))).toBe(true);
  });

  it('is not one that cannot be read just now, or may not be', () => {
    const issues = [{ path: 'body.title', message: 'is too long' }];
    expect(isMissing(new StoaProblem('invalid_request', 400, 'too long', issues))).toBe(false);
    expect(isMissing(new StoaProblem('daemon_unreachable', 503, 'away'))).toBe(false);
    expect(isMissing(new Error('broken'))).toBe(false);
    expect(isMissing(null)).toBe(false);
  });
});
