import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLog, humanLine } from './log.js';

const CANARY = 'stoa_canary_secret';

/** What a logger that says everything writes for these fields. */
function written(fields: object): string {
  const output = new PassThrough() as unknown as NodeJS.WriteStream;
  createLog({ level: 'debug', format: 'json' }, output).debug(fields, 'request');
  return String((output as unknown as PassThrough).read());
}

describe('the log', () => {
  it.each([
    { token: CANARY, secret: CANARY, password: CANARY, url: CANARY },
    { headers: { authorization: CANARY, Cookie: CANARY, 'set-cookie': [CANARY] } },
    { login: { code: CANARY } },
    { request: { raw: { headers: { Authorization: `Bearer ${CANARY}`, cookie: CANARY } } } },
    { answers: [{ minted: { token: CANARY, clientSecret: CANARY } }] },
    { err: Object.assign(new Error('failed'), { config: { password: CANARY, url: CANARY } }) },
    { outer: { err: Object.assign(new Error('failed'), { token: CANARY }) } },
  ])('never shows a secret in a field at any depth (%#)', (fields) => {
    expect(written(fields)).toContain('[redacted]');
    expect(written(fields)).not.toContain(CANARY);
  });

  it('keeps the code of an error', () => {
    const cause = Object.assign(new Error('no room'), { code: 'ENOSPC' });
    const err = Object.assign(new Error('failed', { cause }), { code: 'SQLITE_FULL' });
    const line = JSON.parse(written({ err, step: 'store' })) as { err: object; step: string };
    expect(line).toMatchObject({ step: 'store', err: { code: 'SQLITE_FULL', type: 'Error' } });
    expect(JSON.stringify(line.err)).toContain('no room');
  });

  it('handles cyclic fields', () => {
    const fields: Record<string, unknown> = { when: new Date(0) };
    fields['self'] = fields;
    expect(written(fields)).toContain('1970-01-01');
  });

  it('is one readable line for people', () => {
    const line = humanLine('{"level":40,"time":0,"pid":12,"msg":"took over"}');
    expect(line).toBe('00:00:00 warn took over pid=12');
  });
});
