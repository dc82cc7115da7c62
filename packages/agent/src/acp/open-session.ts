import { type McpServer, methods, RequestError } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { AcpFailure, asAcpFailure } from './acp-failure.js';
import type { AgentProcess } from './agent-process.js';
import { NewSession, SessionSettings } from './answers.js';
import { Replay } from './replay.js';

export interface SessionRequest {
  readonly cwd: string;
  readonly mcpServers: McpServer[];
  /** The session of the same program to continue. */
  readonly knownId: string | undefined;
  /** The last text of the agent in the journal. */
  readonly lastText: string | undefined;
  readonly milliseconds: number;
}

export interface OpenedSession {
  readonly id: string;
  readonly mode: string | undefined;
  /** Why a new session was created; undefined if the known one continues. */
  readonly isNew: { readonly reason: string } | undefined;
}

/** Opens a session that asks before it acts: the known one if possible, otherwise a new one. */
export async function openSession(
  process: AgentProcess,
  request: SessionRequest,
): Promise<OpenedSession> {
  const continued = await continueSession(process, request);
  if ('id' in continued) return { ...continued, isNew: undefined };
  const { cwd, mcpServers, milliseconds } = request;
  const { new: method } = methods.agent.session;
  try {
    const params = { cwd, mcpServers };
    const created = await process.requestWithin(milliseconds, NewSession, method, params);
    const mode = await configure(process, created.sessionId, created, milliseconds);
    return { id: created.sessionId, mode, isNew: continued };
  } catch (error) {
    throw asAcpFailure(process, error);
  }
}

type Continued = { id: string; mode: string | undefined } | { reason: string };

/** Resumes the session, or loads it if resuming fails: some programs only claim that they can resume. */
async function continueSession(process: AgentProcess, request: SessionRequest): Promise<Continued> {
  const { knownId } = request;
  if (knownId === undefined) return { reason: 'there was none' };
  const { capabilities, program } = process;
  let reason = `${program.name} cannot continue one`;
  if (capabilities.sessionCapabilities?.resume !== undefined) {
    const resumed = await attempt(process, methods.agent.session.resume, knownId, request);
    if ('id' in resumed) return resumed;
    reason = resumed.reason;
  }
  if (capabilities.loadSession !== true) return { reason };
  if (!program.replaysCleanly || process.replaysLate) return { reason: replaysLate(program.name) };
  const replay = new Replay();
  const stopListening = process.listen(knownId, replay);
  try {
    const loaded = await attempt(process, methods.agent.session.load, knownId, request);
    if (!('id' in loaded)) return loaded;
    // A program that does not know a session may create an empty one with its id.
    if (replay.isEmpty) return { reason: `${program.name} no longer knows it` };
    if (replay.contains(request.lastText)) return loaded;
    process.replaysLate = true;
    return { reason: replaysLate(program.name) };
  } finally {
    stopListening();
  }
}

const replaysLate = (name: string): string =>
  `${name} would repeat its earlier messages in the middle of the next answer`;

async function attempt(
  process: AgentProcess,
  method: string,
  sessionId: string,
  { cwd, mcpServers, milliseconds }: SessionRequest,
): Promise<Continued> {
  try {
    const params = { sessionId, cwd, mcpServers };
    const settings = await process.requestWithin(milliseconds, SessionSettings, method, params);
    return { id: sessionId, mode: await configure(process, sessionId, settings, milliseconds) };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const message = process.scrub(error.message).slice(0, 200).toWellFormed();
    return { reason: `${process.program.name} cannot continue it: ${message}` };
  }
}

/** Sets the model and the mode. Returns the mode. */
async function configure(
  process: AgentProcess,
  id: string,
  settings: SessionSettings,
  milliseconds: number,
): Promise<string | undefined> {
  const set = async (method: string, params: object): Promise<void> => {
    await process.requestWithin(milliseconds, z.unknown(), method, { sessionId: id, ...params });
  };
  await setModel(process, settings, set);
  return setAskingMode(process, settings, set);
}

type SetOption = (method: string, params: object) => Promise<void>;

/** Selects the model, if the definition names one. Throws AcpFailure if the program does not have it. */
async function setModel(
  { program }: AgentProcess,
  { configOptions }: SessionSettings,
  set: SetOption,
): Promise<void> {
  const model = program.sessionModel;
  if (model === undefined) return;
  const option = selectOption(configOptions, 'model');
  if (!option?.values.includes(model)) {
    const available = option ? `; there are: ${option.values.join(', ')}` : '';
    const hint = 'Name another as driver.model: stoa agent put AGENT FILE';
    const message = `${program.name} has no model ${model}. ${hint}${available}`;
    throw new AcpFailure('acp_no_model', message);
  }
  if (option.current === model) return;
  await set(methods.agent.session.setConfigOption, { configId: option.id, value: model });
}

/** Usual names of the mode in which a program asks, if no preset names it. */
const ASKING_MODES = ['default', 'ask', 'manual', 'read-only', 'build'];
const UNASKING_MODE = /yolo|bypass|full[-_]?access|auto|accept|dont[-_]?ask|danger/i;

/**
 * Makes a session ask before it acts. Returns the mode, if the program has modes. Throws AcpFailure if the program offers
 * no such mode.
 */
async function setAskingMode(
  { program }: AgentProcess,
  { modes, configOptions }: SessionSettings,
  set: SetOption,
): Promise<string | undefined> {
  const option = selectOption(configOptions, 'mode');
  const offered = modes?.availableModes.map(({ id }) => id) ?? option?.values ?? [];
  const current = modes?.currentModeId ?? option?.current;
  const wanted = [program.askingMode, ...ASKING_MODES].find(
    (mode) => mode !== undefined && offered.includes(mode),
  );
  if (wanted === undefined) {
    if (current === undefined || !UNASKING_MODE.test(current)) return current;
    const message = `${program.name} is in its mode ${current}, and offers none in which it asks`;
    throw new AcpFailure('acp_mode_unavailable', message);
  }
  if (current === wanted) return wanted;
  const { setMode, setConfigOption } = methods.agent.session;
  try {
    if (modes) await set(setMode, { modeId: wanted });
    else if (option) await set(setConfigOption, { configId: option.id, value: wanted });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const message = `${program.name} cannot be set to its mode ${wanted}: ${error.message}`;
    throw new AcpFailure('acp_mode_unavailable', message);
  }
  return wanted;
}

function selectOption(options: SessionSettings['configOptions'], category: string) {
  const option = options?.find((one) => one.category === category && one.options !== undefined);
  if (!option) return undefined;
  const current = typeof option.currentValue === 'string' ? option.currentValue : undefined;
  return { id: option.id, current, values: option.options ?? [] };
}
