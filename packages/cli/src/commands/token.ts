import type { Context, GlobalFlags } from '../context.js';
import { printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';

export interface MintOptions extends GlobalFlags {
  readonly name: string;
  readonly displayName?: string;
}

export async function mintToken(
  context: Context,
  [humanId = '']: readonly string[],
  options: MintOptions,
): Promise<void> {
  const { name, displayName } = options;
  const minted = await context.client.tokens.mint({ humanId, name, displayName });
  context.answer(minted, () => minted.token);
  if (!context.flags.json) {
    const { credentialId } = minted.credential;
    context.say(`this is shown once; revoke it with: stoa token revoke ${credentialId}`);
  }
}

export async function listTokens(context: Context): Promise<void> {
  const tokens = await context.client.tokens.list();
  const now = context.io.now();
  context.answer({ tokens }, () =>
    context.table(
      [
        { title: 'TOKEN' },
        { title: 'HUMAN' },
        { title: 'KIND' },
        { title: 'CREATED' },
        { title: 'REVOKED' },
        { title: 'NAME' },
      ],
      tokens.map((token) => [
        token.credentialId,
        token.humanId,
        token.kind,
        relativeTime(token.createdAt, now),
        token.revokedAt === undefined ? '' : relativeTime(token.revokedAt, now),
        printableLine(token.name),
      ]),
    ),
  );
}

export async function revokeToken(
  context: Context,
  [credentialId = '']: readonly string[],
): Promise<void> {
  await context.client.tokens.revoke(credentialId);
  context.answer({ revoked: credentialId }, () => `${credentialId} is revoked.`);
}
