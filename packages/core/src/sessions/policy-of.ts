import type { PermissionMode, PermissionRules, Persona } from '@stoa/protocol';
import { findWorkspaceRules, type Tx } from '@stoa/store';
import { type OpenSession, sessionToRead } from '../access/session-gate.js';
import { type Authority, inherit } from '../permissions/narrows.js';
import { extendRules } from '../permissions/rules.js';
import type { Policy } from './driver.js';

/** What an agent's definition and a mode give, in a workspace. */
export function authorityOf(
  { definition }: Pick<Persona, 'definition'>,
  { mode, workspace }: { readonly mode: string; readonly workspace: string },
): Authority {
  return { mode: mode as PermissionMode, workspace, rules: definition.permissions ?? {} };
}

/**
 * What may run unasked in a session, right now. A sub-session stays below those it comes from as they
 * are now, not as they were when it was made: their modes are its ceiling, what they deny and ask
 * about is denied and asked about, and its agent's allow rules count as far as they could hand them on.
 * What people allowed the sub-session itself stays theirs to allow.
 */
export function* policyOf(sessionId: string, configRules: PermissionRules): Tx<Policy> {
  const session = yield* sessionToRead({ kind: 'system' }, sessionId);
  const line = yield* ancestorsOf(session);
  const own = line.reduceRight<Authority | undefined>((parent, one) => {
    const authority = authorityOf(one.persona, one);
    return parent ? inherit(parent, authority) : authority;
  }, undefined);
  const above: Policy['rules'][number][] = [];
  for (const ancestor of line.slice(1)) {
    const { deny, ask } = extendRules(
      extendRules(ancestor.persona.definition.permissions ?? {}, rulesIn(ancestor.permissions)),
      yield* workspaceRules(ancestor),
    );
    const rules = { ...(deny && { deny }), ...(ask && { ask }) };
    above.push({ source: 'parent', workspace: ancestor.workspace, rules });
  }
  return {
    mode: own?.mode ?? 'plan',
    rules: [
      { source: 'config', rules: configRules },
      ...above,
      { source: 'agent', rules: own?.rules ?? {} },
      { source: 'workspace', rules: yield* workspaceRules(session) },
      { source: 'session', rules: rulesIn(session.permissions) },
    ],
  };
}

/** The session, who made it, who made that one. */
function* ancestorsOf(session: OpenSession): Tx<readonly OpenSession[]> {
  const line = [session];
  let parentId = session.parentSessionId;
  while (parentId !== null) {
    const parent: OpenSession = yield* sessionToRead({ kind: 'system' }, parentId);
    line.push(parent);
    parentId = parent.parentSessionId;
  }
  return line;
}

function* workspaceRules({ workspace }: OpenSession): Tx<PermissionRules> {
  const row = yield* findWorkspaceRules.first({ workspace });
  return row ? rulesIn(row.permissions) : {};
}

const rulesIn = (text: string): PermissionRules => JSON.parse(text) as PermissionRules;
