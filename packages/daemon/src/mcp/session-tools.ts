import type { Core } from '@stoa/core';
import type { Principal } from '@stoa/protocol';
import type { OfferedTool } from './offered-tool.js';
import { SessionActions } from './session-actions.js';
import { sessionChannelTools } from './session-channel-tools.js';

type Agent = typeof import('@stoa/agent');
type Session = Extract<Principal, { kind: 'session' }>;

/** What `/mcp` offers to a session. */
export function sessionTools(
  core: Core,
  agent: Agent,
  actions: SessionActions,
  by: Session,
): OfferedTool[] {
  return [...actions.toolsOf(by.id), ...sessionChannelTools(core, agent, by)];
}

/** Their names. */
export function sessionToolNames(
  core: Core,
  agent: Agent,
  home: string,
  sessionId: string,
): ReadonlySet<string> {
  const by: Session = { kind: 'session', id: sessionId, credentialId: sessionId };
  const tools = sessionTools(core, agent, new SessionActions(core, agent, home), by);
  return new Set(tools.map(({ name }) => name));
}
