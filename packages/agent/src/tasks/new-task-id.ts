import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** An id for a task that is not in the registry yet: time and randomness, as all ids are made. */
export function newTaskId(now: number): string {
  let time = '';
  for (let rest = now; time.length < 10; rest = Math.floor(rest / 32)) {
    time = (ALPHABET[rest % 32] ?? '') + time;
  }
  const random = [...randomBytes(16)].map((byte) => ALPHABET[byte & 31]).join('');
  return `tsk_${time}${random}`;
}
