import {
  type McpServer,
  methods,
  RequestError,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { AgentProcess, SessionListener } from './agent-process.js';
import { NewSession, SessionSettings } from './answers.js';
import { inWords } from './in-words.js';
import { setAskingMode, setModel } from './session-settings.js';
import { readUpdate } from './session-updates.js';

export interface SessionWish {
  readonly cwd: string;
  readonly mcpServers: McpServer[];
  /** One of the same program that would be continued. */
  readonly knownId: string | undefined;
  readonly milliseconds: number;
}

export interface OpenedSession {
  readonly id: string;
  readonly mode: string | undefined;
  /** Undefined when the known one goes on. */
  readonly isNew: { readonly reason: string } | undefined;
}

/** Opens a session in an agent program, the known one where it can; it asks before it acts. */
export async function openSession(
  process: AgentProcess,
  wish: SessionWish,
): Promise<OpenedSession> {
  const continued = await continueSession(process, wish);
  if ('id' in continued) return { ...continued, isNew: undefined };
  const { cwd, mcpServers, milliseconds } = wish;
  try {
    const request = { cwd, mcpServers };
    const made = await process.calls.within(
      milliseconds,
      NewSession,
      methods.agent.session.new,
      request,
    );
    const mode = await settle(process, made.sessionId, made, milliseconds);
    return { id: made.sessionId, mode, isNew: continued };
  } catch (error) {
    throw inWords(process, error);
  }
}

type Continued = { id: string; mode: string | undefined } | { reason: string };

/** Resumed where the program can, otherwise loaded; some say they can resume, and cannot. */
async function continueSession(process: AgentProcess, wish: SessionWish): Promise<Continued> {
  const { knownId } = wish;
  if (knownId === undefined) return { reason: 'there was none' };
  const { capabilities, program } = process;
  let reason = `${program.name} cannot continue one`;
  if (capabilities.sessionCapabilities?.resume !== undefined) {
    const resumed = await attempt(process, methods.agent.session.resume, knownId, wish);
    if ('id' in resumed) return resumed;
    reason = resumed.reason;
  }
  if (capabilities.loadSession !== true) return { reason };
  const history = new HistoryCounter();
  const stopListening = process.listen(knownId, history);
  try {
    const loaded = await attempt(process, methods.agent.session.load, knownId, wish);
    // A program that does not know a session may make an empty one of that name.
    const isEmpty = 'id' in loaded && history.count === 0;
    return isEmpty ? { reason: `${program.name} does not know it any more` } : loaded;
  } finally {
    stopListening();
  }
}

async function attempt(
  process: AgentProcess,
  method: string,
  sessionId: string,
  { cwd, mcpServers, milliseconds }: SessionWish,
): Promise<Continued> {
  const { calls, program } = process;
  try {
    const request = { sessionId, cwd, mcpServers };
    const settings = await calls.within(milliseconds, SessionSettings, method, request);
    return { id: sessionId, mode: await settle(process, sessionId, settings, milliseconds) };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const words = process.scrub(error.message).slice(0, 200).toWellFormed();
    return { reason: `${program.name} cannot continue it: ${words}` };
  }
}

/** A session that is loaded says again all that was said in it; that is not for the journal. */
class HistoryCounter implements SessionListener {
  count = 0;

  update(raw: unknown): void {
    const { type } = readUpdate(raw);
    if (type === 'text' || type === 'tool' || type === 'activity') this.count += 1;
  }

  permission(): Promise<RequestPermissionResponse> {
    return Promise.resolve({ outcome: { outcome: 'cancelled' } });
  }

  readTextFile(): Promise<never> {
    return Promise.reject(RequestError.invalidRequest());
  }

  writeTextFile(): Promise<never> {
    return Promise.reject(RequestError.invalidRequest());
  }
}

async function settle(
  process: AgentProcess,
  id: string,
  settings: SessionSettings,
  milliseconds: number,
): Promise<string | undefined> {
  await setModel(process, id, settings, milliseconds);
  return setAskingMode(process, id, settings, milliseconds);
}
