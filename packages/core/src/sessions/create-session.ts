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
import { countSessions, findSession, insertTopic, type Tx } from '@stoa/store';
import { callerClass } from '../access/rules.js';
import { withhold } from '../agents/withheld-values.js';
import { workspaceToUse } from '../agents/workspace-gate.js';
import type { ReadyAgent } from '../agents/workspaces.js';
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
import { assertRoomBelow } from './sub-session-room.js';

/** Makes a session: it takes over its agent's definition as it is now, and keeps it. */
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
      // It may have ended since it was looked at, and would leave this one behind.
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

/** Models, programs and MCP servers work with the keys of the owner, who says which of them others may use. */
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

/** A session makes sub-sessions of itself only; a person may make them below their own sessions. */
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
    throw new StoaError('forbidden', 'A session makes sub-sessions of itself only');
  }
  const parent = await context.store.read(() => sessionToRead(principal, parentId));
  assertNotEnded(parent);
  return parent;
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

const MODES: readonly PermissionMode[] = ['plan', 'ask', 'auto-edit', 'full'];

/** What runs without asking runs with the rights of the daemon's user: that is the owner's to grant. */
export function assertMode(principal: Principal, mode: PermissionMode, parent?: OpenSession): void {
  if (parent && MODES.indexOf(mode) > MODES.indexOf(parent.mode as PermissionMode)) {
    throw new StoaError('authority_exceeded', `Its parent’s mode is ${parent.mode}`);
  }
  if (mode === 'full' && !parent && callerClass(principal) !== 'admin') {
    throw new StoaError('forbidden', 'Only the owner may let a session run everything unasked');
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
