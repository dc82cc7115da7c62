import { StoaProblem } from '@stoa/client';
import { StoaError } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { EXIT } from './exit-code.js';
import { explain, explanationText, UsageError } from './failure.js';

const where = {
  home: '/data',
  url: 'http://127.0.0.1:7117',
  urlFrom: 'the default',
  hasToken: true,
};

describe('explain', () => {
  it.each([
    [new UsageError('no'), EXIT.usage],
    [new StoaProblem('daemon_unreachable', 503, 'no'), EXIT.unreachable],
    [new StoaProblem('unauthenticated', 401, 'no'), EXIT.denied],
    [new StoaProblem('not_member', 403, 'no'), EXIT.denied],
    [new StoaProblem('channel_not_found', 404, 'no'), EXIT.failure],
    [new StoaProblem('shutting_down', 503, 'no'), EXIT.failure],
    [new Error('a defect'), EXIT.failure],
  ])('%s ends with its exit code', (error, exitCode) => {
    expect(explain(error, where).exitCode).toBe(exitCode);
  });

  it('is one line with a code, and a line of what to do', () => {
    const problem = new StoaProblem('daemon_unreachable', 503, 'no daemon answers at http://x');
    expect(explanationText(explain(problem, where))).toBe(
      'stoa: no daemon answers at http://x (daemon_unreachable)\n' +
        '  start one with: stoa serve (the address came from the default)\n',
    );
  });

  it('tells a wrong token from a missing one', () => {
    const problem = new StoaProblem('unauthenticated', 401, 'no');
    expect(explain(problem, where).hint).toContain('/data');
    expect(explain(problem, { ...where, hasToken: false }).hint).toContain('STOA_TOKEN');
  });

  it('lists the issues of a request and neutralises what the daemon repeats of it', () => {
    const issues = [{ path: 'text', message: 'too\u001b[2J long' }];
    const problem = new StoaProblem('invalid_request', 400, 'bad\nrequest', issues);
    expect(explanationText(explain(problem, where))).toBe(
      'stoa: bad ⏎ request (invalid_request)\n  text: too␛[2J long\n',
    );
  });

  it('knows the errors of the daemon package by their shape', () => {
    const error = new StoaError('config_invalid', 'The file is not valid:\n  port: no', [
      { path: 'port', message: 'no' },
    ]);
    expect(explanationText(explain(error, undefined))).toBe(
      'stoa: The file is not valid (config_invalid)\n  port: no\n',
    );
  });
});
