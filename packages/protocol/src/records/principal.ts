import { z } from 'zod';
import { HUMAN_ROLES } from '../enumerations.js';
import { ActorId, CredentialId, HumanId } from './ids.js';

/** The caller, proven by the credential; never read from a body. */
export type Principal =
  | {
      readonly kind: 'human';
      readonly id: string;
      readonly owner: boolean;
      readonly credentialId: string;
      /** Absent for tokens. */
      readonly via?: 'browser';
    }
  | { readonly kind: 'session'; readonly id: string; readonly credentialId: string }
  | { readonly kind: 'adapter'; readonly id: string; readonly credentialId: string }
  | { readonly kind: 'system' };

/** The daemon itself, for everything without a caller. */
export const SYSTEM: Principal = { kind: 'system' };

/** The name of a principal in records: `human:alice`, `session:…`, `adapter:…`, `system`. */
export function actorIdOf(principal: Principal): string {
  return principal.kind === 'system' ? 'system' : `${principal.kind}:${principal.id}`;
}

export const HumanRole = z.enum(HUMAN_ROLES);
export type HumanRole = z.infer<typeof HumanRole>;

export const Human = z.strictObject({
  humanId: HumanId,
  displayName: z.string(),
  role: HumanRole,
});
export type Human = z.infer<typeof Human>;

export const Whoami = z.strictObject({
  actorId: ActorId,
  displayName: z.string(),
  role: HumanRole,
  credentialId: CredentialId,
});
export type Whoami = z.infer<typeof Whoami>;
