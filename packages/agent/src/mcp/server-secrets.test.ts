import { describe, expect, it } from 'vitest';
import { serverScrubber } from './server-secrets.js';

const ENVIRONMENT = {
  TICKETS: 'tickets-12345',
  MY_TOKEN: 'token-12345',
  FOLDER: '/somewhere/here',
};

describe('the output of a server', () => {
  it('R-24 contains none of its secrets, at any depth', () => {
    const scrub = serverScrubber(
      {
        command: 'x',
        env: { A: 'db://me:${MY_TOKEN}@host', API_KEY: 'literal-12345', ROOT: '$FOLDER' },
      },
      ENVIRONMENT,
    );
    expect(
      scrub({ content: [{ type: 'text', text: 'token-12345 literal-12345 /somewhere/here' }] }),
    ).toEqual({ content: [{ type: 'text', text: '[secret] [secret] /somewhere/here' }] });
  });

  it('R-24 contains no variables and no keys of its headers', () => {
    const headers = {
      'x-team': 'Bearer $TICKETS',
      authorization: 'Bearer literal-12345',
      'user-agent': 'plain-1',
    };
    const scrub = serverScrubber({ url: 'http://127.0.0.1:1', headers }, ENVIRONMENT);
    expect(scrub('no: tickets-12345, literal-12345, plain-1')).toBe(
      'no: [secret], [secret], plain-1',
    );
  });
});
