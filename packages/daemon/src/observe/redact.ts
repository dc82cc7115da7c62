import { types } from 'node:util';
import { pino } from 'pino';

/** Fields that contain secrets at any depth. A URL may contain a login code or a password. */
const SECRET =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|sec-websocket-protocol|stoa-login-code|browserkey|.*(?:token|secret|password)|url|connectionstring)$/i;
const HIDDEN = '[redacted]';
const DEEPEST = 8;

/** A copy for the log without secrets at any depth. A `code` is a login code, except on an error. */
export function redacted(value: unknown): unknown {
  return copy(value, 0);
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return '[too deep]';
  if (Array.isArray(value)) return value.map((each: unknown) => copy(each, depth + 1));
  if (types.isNativeError(value)) {
    return fields(pino.stdSerializers.err(value), depth, (name) => SECRET.test(name));
  }
  if ('toJSON' in value || ArrayBuffer.isView(value)) return value;
  return fields(value, depth, (name) => SECRET.test(name) || (name === 'code' && depth > 0));
}

function fields(object: object, depth: number, isSecret: (name: string) => boolean): object {
  const entries = Object.entries(object).map(([name, each]): [string, unknown] => [
    name,
    isSecret(name) ? HIDDEN : copy(each, depth + 1),
  ]);
  return Object.fromEntries(entries);
}
