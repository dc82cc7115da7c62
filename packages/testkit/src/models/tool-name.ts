import type { RefusalReply } from './reply.js';
import { refuseRule } from './wire.js';

const LONGEST = 64;

/** OpenAI's words for a name that no function may have; `where` is the path it blames. */
export function refuseOpenaiName(name: string, where: string): RefusalReply | undefined {
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
    return refuseRule(
      `Invalid '${where}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      { param: where, code: 'invalid_value' },
    );
  }
  if (name.length > LONGEST) {
    return refuseRule(
      `Invalid '${where}': string too long. Expected a string with maximum length ${LONGEST}, but got a string with length ${name.length} instead.`,
      { param: where, code: 'string_above_max_length' },
    );
  }
  return undefined;
}

export function refuseAnthropicName(name: string, where: string): RefusalReply | undefined {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return undefined;
  return refuseRule(`${where}: String should match pattern '^[a-zA-Z0-9_-]{1,${LONGEST}}$'`);
}
