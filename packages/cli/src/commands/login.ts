import type { Context } from '../context.js';
import { relativeTime } from '../terminal/times.js';

export async function login(context: Context): Promise<void> {
  const code = await context.client.loginCode();
  context.answer(code, () => code.url);
  if (!context.flags.json) {
    context.say(
      `the link works once and expires ${relativeTime(code.expiresAt, context.io.now())}`,
    );
  }
}
