import { z } from 'zod';
import { CREDENTIAL_KINDS } from '../enumerations.js';
import { CredentialId, EpochMs, HumanId } from './ids.js';
import { DisplayName } from './member.js';

export const CredentialKind = z.enum(CREDENTIAL_KINDS);
export type CredentialKind = z.infer<typeof CredentialKind>;

/** A credential in a list: the secret itself is stored only as a hash. */
export const Credential = z.strictObject({
  credentialId: CredentialId,
  kind: CredentialKind,
  name: z.string(),
  humanId: HumanId,
  createdAt: EpochMs,
  expiresAt: EpochMs.optional(),
  revokedAt: EpochMs.optional(),
});
export type Credential = z.infer<typeof Credential>;

export const MintToken = z.strictObject({
  humanId: HumanId,
  displayName: DisplayName.optional(),
  name: DisplayName,
});
export type MintToken = z.infer<typeof MintToken>;

/** The only answer with this secret; it cannot be read again. */
export const MintedToken = z.strictObject({ token: z.string(), credential: Credential });
export type MintedToken = z.infer<typeof MintedToken>;

export const LogIn = z.strictObject({
  code: z.string().min(1).max(200),
  /** From the page that asked for the login; no other page has it. */
  ticket: z.string().min(1).max(200),
});
export type LogIn = z.infer<typeof LogIn>;

/** The key of a browser login. The page keeps it and never sends it to the daemon. */
export const BrowserLogin = z.strictObject({ credentialId: CredentialId, key: z.string() });
export type BrowserLogin = z.infer<typeof BrowserLogin>;

export const LoginCode = z.strictObject({
  code: z.string(),
  url: z.string(),
  expiresAt: EpochMs,
});
export type LoginCode = z.infer<typeof LoginCode>;
