import { StoaProblem } from '@stoa/client';
import { StoaError } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { EXIT } from './exit-code.js';
import { explain, explanationText, UsageError } from './failure.js';

const where = {
  home: '/data',
  url: 'http://127.0.0.1:7117',
  urlFrom: 'the default',
  tokenFrom: '/data/token',
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
    expect(explain(problem, { ...where, tokenFrom: undefined }).hint).toContain('set STOA_TOKEN');
    expect(explain(problem, { ...where, tokenFrom: 'STOA_TOKEN' }).hint).toBe(
      'the token came from STOA_TOKEN: correct it, or omit it to use the token of /data',
    );
  });

  it('says once what is not an id, and where there are some', () => {
    const textFor = (path: string, what: string, named: Record<string, string> = {}): string => {
      const issue = { path, message: `is not the id of ${what}` };
      const problem = new StoaProblem('invalid_request', 400, `Nope ${issue.message}`, [issue]);
      return explanationText(explain(problem, { ...where, named }));
    };
    expect(textFor('params.channelId', 'a channel')).toBe(
      'stoa: Nope is not the id of a channel (invalid_request)\n' +
        '  see which channels exist: stoa channel list --archived include\n',
    );
    expect(textFor('body.replyToMessageId', 'a message', { channel: 'lobby' })).toContain(
      '\n  see the ids of messages: stoa history lobby --ids\n',
    );
    expect(textFor('params.taskId', 'a task')).toContain('\n  see the tasks: stoa tasks\n');
    expect(textFor('params.credentialId', 'a token')).toContain('stoa token list');
  });

  it('uses the names that it was given, and those of the project where there is one', () => {
    const problem = new StoaProblem('unknown_member', 400, 'no');
    const hint = (named: Record<string, string>): string | undefined =>
      explain(problem, { ...where, named }).hint;
    expect(hint({ channel: 'lobby' })).toBe('see the members: stoa channel members lobby');
    expect(hint({ project: 'ap', who: 'ghost' })).toContain('stoa token list');
    expect(hint({ project: 'ap' })).toBe('see the members: stoa project show ap');
    expect(hint({ channel: 'not a name' })).toBe('see the members: stoa channel members CHANNEL');
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
