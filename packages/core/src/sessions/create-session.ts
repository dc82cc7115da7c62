import {
  actorIdOf,
  type Ceiling,
  type CreateSession,
  driverSpec,
  LIMITS,
  type PermissionMode,
  type Persona,
  type Principal,
  type Session,
  type SessionEvent,
  StoaError,
  sessionTopic,
} from '@stoa/protocol';
import { countSessions, findFamily, findSession, insertTopic, type Tx } from '@stoa/store';
import { callerClass } from '../access/rules.js';
import { withhold } from '../agents/withheld-values.js';
import { type ReadyAgent, workspaceToUse } from '../agents/workspaces.js';
import { lowerMode } from '../authority/ceiling.js';
import { dataOf } from '../kernel/codec.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision } from '../kernel/log.js';
import { admitMetadata } from '../kernel/metadata.js';
import { narrows } from '../permissions/narrows.js';
import { currentCeiling, sessionCeiling } from './ceiling-of.js';
import type { SessionContext } from './context.js';
import { authorityOf } from './policy-of.js';
import { sessionRecord } from './records.js';
import { assertNotEnded, type OpenSession, sessionToRead, sessionToServe } from './session-gate.js';

/** Creates a session with a copy of its agent's current definition. */
export async function createSession(
  context: SessionContext,
  principal: Principal,
  request: CreateSession,
  key?: string,
): Promise<Session> {
  const metadata = admitMetadata(request.metadata);
  const parent = await parentOf(context, principal, request);
  const workspace = parent
    ? await workspaceInside(context, parent, request.workspace)
    : await workspaceToUse(context.workspaces, principal, request.workspace);
  const agent = await context.findAgent(request.agentId, workspace);
  if (!parent) assertShared(context, principal, agent);
  const mode = request.mode ?? agent.definition.mode;
  assertMode(principal, mode, parent);
  if (parent) assertNarrower(parent, agent, { mode, workspace });
  const persona = await takePersona(context, agent, workspace);
  const sessionId = context.ids.next('ses');
  const topic = sessionTopic(sessionId);
  const created: Extract<SessionEvent, { type: 'session_created' }>['data'] = {
    sessionId,
    persona,
    workspace,
    ...(request.title === undefined ? {} : { title: request.title }),
    mode,
    ...(parent ? { parentSessionId: parent.sessionId } : {}),
    responsibleId: parent?.responsibleId ?? actorIdOf(principal),
    metadata,
  };
  const made = await context.log.write({
    actor: actorIdOf(principal),
    lane: topic,
    *open(): Tx<Ceiling | undefined> {
      // The parent may have ended since it was read.
      const above = parent && (yield* sessionToServe(parent.sessionId));
      if (above) assertNotEnded(above);
      if (parent) yield* assertRoomBelow(parent.sessionId);
      const sessions = (yield* countSessions.first({}))?.count ?? 0;
      if (sessions >= LIMITS.sessions) {
        const limit = String(LIMITS.sessions);
        throw new StoaError('limit_reached', `At most ${limit} sessions are open`);
      }
      if (!above) return undefined;
      return principal.kind === 'session' ? yield* currentCeiling(above) : sessionCeiling(above);
    },
    *decide(ceiling): Tx<Decision<string>> {
      yield* insertTopic.first({ name: topic });
      return {
        events: [
          {
            topic,
            event: { type: 'session_created', data: { ...created, ...(ceiling && { ceiling }) } },
          },
        ],
        answer: () => sessionId,
      };
    },
    idempotency: idempotency(
      context.secrets,
      key,
      { createSession: request },
      (entry) => dataOf('session_created', entry).sessionId,
    ),
  });
  return readSession(context, made);
}

/** Models, programs and MCP servers use keys of the owner, who decides which agents others may use. */
export function isSharedAgent(
  { sharedAgents }: Pick<SessionContext, 'sharedAgents'>,
  { agentId, definition }: Pick<ReadyAgent, 'agentId' | 'definition'>,
): boolean {
  const usesKeys =
    driverSpec(definition.driver.kind).usesOwnerKeys ||
    Object.keys(definition.mcpServers ?? {}).length > 0;
  return !usesKeys || sharedAgents.includes('*') || sharedAgents.includes(agentId);
}

function assertShared(context: SessionContext, principal: Principal, agent: ReadyAgent): void {
  if (callerClass(principal) === 'admin' || isSharedAgent(context, agent)) return;
  const { agentId } = agent;
  throw new StoaError(
    'forbidden',
    `${agentId} works with keys of the owner; the owner can share it with \`sharedAgents: [${agentId}]\` in stoa.yaml`,
  );
}

export async function takePersona(
  context: SessionContext,
  { agentId, source, definition }: ReadyAgent,
  workspace: string,
): Promise<Persona> {
  const workspaceInstructions = await context.workspaces.instructions(workspace);
  return {
    agentId,
    source,
    definition: withhold(definition),
    ...(workspaceInstructions === undefined ? {} : { workspaceInstructions }),
  };
}

export function readSession(context: SessionContext, sessionId: string): Promise<Session> {
  return context.store.read(function* () {
    const row = yield* findSession.first({ sessionId });
    if (!row) throw new StoaError('session_not_found', `There is no session ${sessionId}`);
    return sessionRecord(row);
  });
}

/** A session creates only its own sub-sessions; a person may create them below their sessions. */
async function parentOf(
  context: SessionContext,
  principal: Principal,
  request: CreateSession,
): Promise<OpenSession | undefined> {
  const parentId =
    principal.kind === 'session'
      ? (request.parentSessionId ?? principal.id)
      : request.parentSessionId;
  if (parentId === undefined) return undefined;
  if (principal.kind === 'session' && parentId !== principal.id) {
    throw new StoaError('forbidden', 'A session can create only its own sub-sessions');
  }
  const parent = await context.store.read(() => sessionToRead(principal, parentId));
  assertNotEnded(parent);
  return parent;
}

/** Limits the sub-sessions below one session that a person created, so that agents cannot use up all sessions. */
function* assertRoomBelow(parentSessionId: string): Tx<void> {
  const { depth, count } = (yield* findFamily.first({ sessionId: parentSessionId })) ?? {
    depth: 0,
    count: 0,
  };
  if (depth >= LIMITS.subSessionDepth) {
    const limit = String(LIMITS.subSessionDepth);
    throw new StoaError('limit_reached', `Sub-sessions are at most ${limit} deep`);
  }
  if (count < LIMITS.subSessions) return;
  const limit = String(LIMITS.subSessions);
  throw new StoaError('limit_reached', `At most ${limit} sub-sessions are below one session`);
}

async function workspaceInside(
  { workspaces }: SessionContext,
  parent: OpenSession,
  asked: string | undefined,
): Promise<string> {
  const workspace = await workspaces.resolve(asked ?? parent.workspace);
  if (workspace === parent.workspace || workspace.startsWith(`${parent.workspace}/`)) {
    return workspace;
  }
  throw new StoaError('authority_exceeded', 'A sub-session works inside its parent’s workspace');
}

/** In mode `full` everything runs without approval, with the rights of the daemon's user: only the owner may grant it. */
export function assertMode(principal: Principal, mode: PermissionMode, parent?: OpenSession): void {
  if (parent && lowerMode(mode, parent.mode as PermissionMode) !== mode) {
    throw new StoaError('authority_exceeded', `Its parent’s mode is ${parent.mode}`);
  }
  if (mode === 'full' && !parent && callerClass(principal) !== 'admin') {
    throw new StoaError(
      'forbidden',
      'Only the owner may let a session run everything without approval',
    );
  }
}

export function assertNarrower(
  parent: OpenSession,
  { definition }: ReadyAgent,
  { mode, workspace }: { readonly mode: string; readonly workspace: string },
): void {
  const verdict = narrows(
    authorityOf(parent.persona, parent),
    authorityOf({ definition }, { mode, workspace }),
  );
  if (!verdict.ok) throw new StoaError('authority_exceeded', verdict.what);
}
