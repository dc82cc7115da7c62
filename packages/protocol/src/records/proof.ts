import { z } from 'zod';
import { CredentialId, EpochMs } from './ids.js';

const Nonce = z.string().regex(/^[A-Za-z0-9_-]{22,64}$/, 'is not a nonce');
const Mac = z.string().regex(/^[0-9a-f]{64}$/, 'is not an HMAC-SHA256 in hex');
/** Host and port as the caller addresses the daemon, as in `Host`. */
const AddressedHost = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'is not a host');

/**
 * Asks the daemon to prove that it knows a key of the caller before the caller sends anything secret. `browser`: the
 * key of a browser login. `token`: the SHA-256 of a token, named by its first 8 hex digits.
 */
export const ProveDaemon = z.discriminatedUnion('of', [
  z.strictObject({
    of: z.literal('browser'),
    credentialId: CredentialId,
    nonce: Nonce,
    host: AddressedHost,
  }),
  z.strictObject({
    of: z.literal('token'),
    digestPrefix: z.string().regex(/^[0-9a-f]{8}$/, 'is not 8 hex digits'),
    nonce: Nonce,
    host: AddressedHost,
  }),
]);
export type ProveDaemon = z.infer<typeof ProveDaemon>;

/** One proof for each matching key; none if the daemon knows no such key. */
export const DaemonProof = z.strictObject({ challenge: z.string(), proofs: z.array(Mac) });
export type DaemonProof = z.infer<typeof DaemonProof>;

/** The page of a browser login proves its key in return. */
export const GrantAccess = z.strictObject({
  credentialId: CredentialId,
  nonce: Nonce,
  host: AddressedHost,
  challenge: z.string().min(1).max(200),
  proof: Mac,
});
export type GrantAccess = z.infer<typeof GrantAccess>;

/** The page keeps it in memory and sends it as `Stoa-Access-Token` or as a subprotocol of the WebSocket. */
export const AccessToken = z.strictObject({ accessToken: z.string(), expiresAt: EpochMs });
export type AccessToken = z.infer<typeof AccessToken>;
