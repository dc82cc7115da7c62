import {
  type Ceiling,
  type PermissionMode,
  type PermissionRules,
  type Persona,
  SYSTEM,
} from '@stoa/protocol';
import { listWorkspaceRules, type Tx } from '@stoa/store';
import type { Workspaces } from '../agents/workspaces.js';
import { capPolicy, lowerCeiling } from '../authority/ceiling.js';
import { decode } from '../kernel/codec.js';
import type { Policy } from '../permissions/decide.js';
import { type Authority, inherit } from '../permissions/narrows.js';
import { extendRules } from '../permissions/rules.js';
import { OWNER_ACTOR, sessionCeiling, strangersOf } from './ceiling-of.js';
import { type OpenSession, sessionToRead } from './session-gate.js';

/** What a policy depends on in addition to the session. */
export interface PolicyPorts {
  /** Rules of every session. */
  readonly configRules: PermissionRules;
  readonly workspaces: Pick<Workspaces, 'isShared'>;
}

/** The authority of a definition and a mode in a workspace. */
export function authorityOf(
  { definition }: Pick<Persona, 'definition'>,
  { mode, workspace }: { readonly mode: string; readonly workspace: string },
): Authority {
  return { mode: mode as PermissionMode, workspace, rules: definition.permissions ?? {} };
}

/** What a session may run without an approval now, under this ceiling. */
export function* policyOf(
  ports: PolicyPorts,
  sessionId: string,
  ceiling: Ceiling | undefined,
): Tx<Policy> {
  const session = yield* sessionToRead(SYSTEM, sessionId);
  const own = yield* ownPolicy(ports, session);
  const total = lowerCeiling(sessionCeiling(session), ceiling);
  if (!total) return own;
  const senders: Policy[] = [];
  for (const senderId of total.sessions) {
    if (senderId === sessionId) continue;
    const sender = yield* sessionToRead(SYSTEM, senderId);
    senders.push(yield* ownPolicy(ports, sender));
  }
  return capPolicy(own, total, {
    strangers: strangersOf(session, total.people),
    isShared: ports.workspaces.isShared(session.workspace),
    senders,
  });
}

/**
 * What a session may do on request of the person it works for. The current rights of its ancestors limit a sub-session:
 * their modes are its ceiling, their deny and ask rules apply, and an allow rule of its agent applies only if its parent
 * could grant it. Rules that people added for the sub-session itself are not limited.
 */
function* ownPolicy({ configRules }: PolicyPorts, session: OpenSession): Tx<Policy> {
  const line = yield* ancestorsOf(session);
  const own = line.reduceRight<Authority | undefined>((parent, one) => {
    const authority = authorityOf(one.persona, one);
    return parent ? inherit(parent, authority) : authority;
  }, undefined);
  const above: Policy['rules'][number][] = [];
  for (const ancestor of line.slice(1)) {
    const { deny, ask } = extendRules(
      extendRules(ancestor.persona.definition.permissions ?? {}, decode(ancestor.permissions)),
      yield* workspaceRules(ancestor),
    );
    const rules = { ...(deny && { deny }), ...(ask && { ask }) };
    above.push({ source: 'parent', workspace: ancestor.workspace, rules });
  }
  return {
    mode: own?.mode ?? 'plan',
    workspace: session.workspace,
    rules: [
      { source: 'config', rules: configRules },
      ...above,
      { source: 'agent', rules: own?.rules ?? {} },
      { source: 'workspace', rules: yield* workspaceRules(session) },
      { source: 'session', rules: decode(session.permissions) },
    ],
  };
}

/** The session, its parent, the parent of that one, and so on. */
function* ancestorsOf(session: OpenSession): Tx<readonly OpenSession[]> {
  const line = [session];
  let parentId = session.parentSessionId;
  while (parentId !== null) {
    const parent: OpenSession = yield* sessionToRead(SYSTEM, parentId);
    line.push(parent);
    parentId = parent.parentSessionId;
  }
  return line;
}

/** The rules of the owner and of the person the session works for. */
function* workspaceRules({ workspace, responsibleId }: OpenSession): Tx<PermissionRules> {
  const rows = yield* listWorkspaceRules.all({ workspace, responsibleId, ownerId: OWNER_ACTOR });
  return rows.reduce<PermissionRules>(
    (rules, { permissions }) => extendRules(rules, decode(permissions)),
    {},
  );
}
