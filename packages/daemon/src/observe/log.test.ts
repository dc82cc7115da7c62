import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLog, humanLine } from './log.js';

const CANARY = 'stoa_canary_secret';

describe('the log', () => {
  it('never shows a secret that stands in a field', () => {
    const output = new PassThrough() as unknown as NodeJS.WriteStream;
    const log = createLog({ level: 'debug', format: 'json' }, output);
    log.info(
      {
        token: CANARY,
        headers: { authorization: CANARY, cookie: CANARY },
        login: { code: CANARY },
      },
      'request',
    );
    const written = String((output as unknown as PassThrough).read());
    expect(written).toContain('[redacted]');
    expect(written).not.toContain(CANARY);
  });

  it('is one readable line for people', () => {
    const line = humanLine('{"level":40,"time":0,"pid":12,"msg":"took over"}');
    expect(line).toBe('00:00:00 warn took over pid=12');
  });
});
