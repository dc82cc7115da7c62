import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import type { Config } from '../config/schema.js';
import { redacted } from './redact.js';

/** Structured logs on standard error: JSON for machines, one readable line for people at a terminal. */
export function createLog({ level, format }: Config['log'], output: NodeJS.WriteStream): Logger {
  const human = format === 'human' || (format === 'auto' && output.isTTY);
  return pino(
    {
      level,
      base: null,
      formatters: { log: (fields) => redacted(fields) as Record<string, unknown> },
      // Errors are serialised where they are redacted.
      serializers: { err: (error: unknown) => error },
    },
    human ? humanLines(output) : output,
  );
}

function humanLines(output: NodeJS.WriteStream): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      output.write(`${humanLine(chunk.toString('utf8'))}\n`, () => {
        done();
      });
    },
  });
}

export function humanLine(json: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const clock = new Date(Number(time)).toISOString().slice(11, 19);
  const fields = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = isError(err) ? `\n${err.stack}` : '';
  return [clock, pino.levels.labels[Number(level)] ?? '', String(msg), ...fields].join(' ') + stack;
}

function isError(value: unknown): value is { stack: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'stack' in value &&
    typeof value.stack === 'string'
  );
}
