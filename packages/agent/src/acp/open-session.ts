import { type McpServer, methods, RequestError } from '@agentclientprotocol/sdk';
import type { AgentProcess } from './agent-process.js';
import { NewSession, SessionSettings } from './answers.js';
import { inWords } from './in-words.js';
import { Replay } from './replay.js';
import { setAskingMode, setModel } from './session-settings.js';

export interface SessionWish {
  readonly cwd: string;
  readonly mcpServers: McpServer[];
  /** One of the same program that would be continued. */
  readonly knownId: string | undefined;
  /** What the agent wrote last in it, as far as that is known. */
  readonly lastText: string | undefined;
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
  if (!program.replaysCleanly || process.replaysLate) return { reason: repeats(program.name) };
  const replay = new Replay();
  const stopListening = process.listen(knownId, replay);
  try {
    const loaded = await attempt(process, methods.agent.session.load, knownId, wish);
    if (!('id' in loaded)) return loaded;
    // A program that does not know a session may make an empty one of that name.
    if (replay.isEmpty) return { reason: `${program.name} does not know it any more` };
    if (replay.reaches(wish.lastText)) return loaded;
    process.replaysLate = true;
    return { reason: repeats(program.name) };
  } finally {
    stopListening();
  }
}

const repeats = (name: string): string =>
  `${name} would say again what was said in it, in the middle of what it says next`;

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

async function settle(
  process: AgentProcess,
  id: string,
  settings: SessionSettings,
  milliseconds: number,
): Promise<string | undefined> {
  await setModel(process, id, settings, milliseconds);
  return setAskingMode(process, id, settings, milliseconds);
}
