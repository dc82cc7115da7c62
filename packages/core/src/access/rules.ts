import {
  type AuthorKind,
  actorIdOf,
  type CallerClass,
  type Principal,
  StoaError,
} from '@stoa/protocol';

/** The row of the authorisation table for a caller. */
export function callerClass(principal: Principal | undefined): CallerClass {
  if (!principal) return 'anonymous';
  if (principal.kind === 'system') return 'admin';
  if (principal.kind === 'human') return principal.owner ? 'admin' : 'human';
  return principal.kind;
}

export function assertMayCall(
  access: readonly CallerClass[],
  principal: Principal | undefined,
): void {
  if (access.includes(callerClass(principal))) return;
  if (!principal) throw new StoaError('unauthenticated');
  throw new StoaError('forbidden', `A ${callerClass(principal)} may not call this route`);
}

/** The creator and the owner of the daemon may moderate. */
export function mayModerate(principal: Principal, createdBy: string): boolean {
  return callerClass(principal) === 'admin' || actorIdOf(principal) === createdBy;
}

interface Claims {
  readonly sender?: string | { readonly id: string } | undefined;
  readonly actorId?: string | undefined;
  readonly actor_id?: string | undefined;
}

/** A body may repeat who the caller is, but must not name somebody else. */
export function assertIsCaller(principal: Principal, { sender, actorId, actor_id }: Claims): void {
  const proven = actorIdOf(principal);
  for (const claimed of [typeof sender === 'object' ? sender.id : sender, actorId, actor_id]) {
    if (claimed === undefined || claimed === proven) continue;
    throw new StoaError(
      'identity_mismatch',
      `The credential proves ${proven}; the body names ${claimed}`,
    );
  }
}

export function authorKindOf(principal: Principal): AuthorKind {
  switch (principal.kind) {
    case 'human':
      return 'human';
    case 'session':
      return 'agent';
    case 'system':
      return 'system';
    case 'adapter':
      throw new StoaError('forbidden', 'An adapter speaks for people, never for itself');
  }
}

/** Throws for every caller that is not a person, including the system. */
export function humanIdOf(principal: Principal): string {
  if (principal.kind === 'human') return principal.id;
  throw new StoaError('forbidden', 'Only people have this');
}
