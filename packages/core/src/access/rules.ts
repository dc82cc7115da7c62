import {
  type AuthorKind,
  actorIdOf,
  type CallerClass,
  type Principal,
  StoaError,
} from '@stoa/protocol';

/** Which row of the authorisation table a caller falls under. */
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

/** Creators look after their channels; the owner of the daemon may look after all of them. */
export function mayModerate(principal: Principal, createdBy: string): boolean {
  return callerClass(principal) === 'admin' || actorIdOf(principal) === createdBy;
}

interface Claims {
  readonly sender?: string | { readonly id: string } | undefined;
  readonly actorId?: string | undefined;
  readonly actor_id?: string | undefined;
}

/** A body may repeat who the caller is; naming somebody else is an attempt to speak for them. */
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

/** What belongs to one person is not reachable by other kinds of caller, the system included. */
export function humanIdOf(principal: Principal): string {
  if (principal.kind === 'human') return principal.id;
  throw new StoaError('forbidden', 'Only people have this');
}
