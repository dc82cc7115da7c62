import { createHash } from 'node:crypto';
import { methods, RequestError } from '@agentclientprotocol/sdk';
import type { DriverEnd, RunContext, Transcript } from '@stoa/core';
import { ACP_DRIVER, type DriverConfig, type DriverConfigOf, StoaError } from '@stoa/protocol';
import type { AgentDriver } from '../agent-driver.js';
import { deliverItems } from '../deliver-items.js';
import { orAborted } from '../pause.js';
import { textOutput } from '../text-output.js';
import { within } from '../within.js';
import { AcpFailure, asAcpFailure, errorText } from './acp-failure.js';
import { ACP_LIMITS, type AcpLimits, type StreamLimits } from './acp-limits.js';
import { AgentPool, type Lease } from './agent-pool.js';
import type { AgentProcess, ProcessPorts } from './agent-process.js';
import { type AgentProgram, agentProgram } from './agent-program.js';
import { type AgentSession, AgentSessions, SESSION_NOTE, writeNote } from './agent-sessions.js';
import { PromptAnswer } from './answers.js';
import type { PermissionPorts } from './call-permissions.js';
import { buildPrompt, instructionsDigest } from './prompt.js';
import { isEmptyAnswerError, promptFailure } from './prompt-failure.js';
import type { McpFor } from './session-servers.js';
import { readUsage } from './session-updates.js';
import { watchSilence } from './silence.js';
import { programProblem } from './spawn-program.js';
import { Turn } from './turn.js';
import { CallIds } from './turn-journal.js';

export interface AcpDriverPorts extends PermissionPorts, Omit<ProcessPorts, 'limits'> {
  /** The daemon's environment. A program gets what it needs and what its definition names. */
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Grants the session of a run access to Stoa's own tools, until it is revoked. */
  readonly mcpFor?: McpFor;
  readonly limits?: Partial<Omit<AcpLimits, 'stream'>> & {
    readonly stream?: Partial<StreamLimits>;
  };
}

/** One attempt to execute a run. */
interface Attempt {
  phase: 'start' | 'agent';
  turn: Turn | undefined;
}

/**
 * Runs agents that are programs which speak the Agent Client Protocol. One program serves all sessions of the same
 * definition, person and workspace. The driver journals what a program does and decides what it asks for.
 */
export class AcpDriver implements AgentDriver {
  readonly kind = ACP_DRIVER.kind;
  readonly capabilities = ACP_DRIVER.capabilities;
  readonly #limits: AcpLimits;
  readonly #pool: AgentPool;
  readonly #sessions: AgentSessions;
  /** The last problem of each program that people can fix, until a run succeeds. */
  readonly #problems = new Map<string, string>();

  constructor(private readonly ports: AcpDriverPorts) {
    const stream = { ...ACP_LIMITS.stream, ...ports.limits?.stream };
    this.#limits = { ...ACP_LIMITS, ...ports.limits, stream };
    this.#pool = new AgentPool({ ...ports, limits: this.#limits });
    this.#sessions = new AgentSessions({
      ...ports,
      sessionMs: this.#limits.sessionMs,
      abandoned: (process) => {
        this.#pool.retire(process);
      },
    });
  }

  async execute(run: RunContext): Promise<DriverEnd> {
    for (let isRetry = false; ; isRetry = true) {
      const attempt: Attempt = { phase: 'start', turn: undefined };
      try {
        return await this.#attempt(run, attempt);
      } catch (error) {
        if (isRetry || !(await this.#mayRetry(run, attempt, error))) {
          return failed(run, attempt, error);
        }
      }
    }
  }

  async #attempt(run: RunContext, attempt: Attempt): Promise<DriverEnd> {
    let lease: Lease | undefined;
    try {
      const { persona, workspace } = run.session;
      const program = this.#program(persona.definition.driver, workspace);
      lease = await this.#pool.use(poolKey(program, run.session), program, run.signal);
      const transcript = await run.transcript({ bytes: TAIL_BYTES, note: SESSION_NOTE });
      const denied = await this.#deniedServers(run);
      const opening = this.#sessions.open(run, lease.process, transcript, denied);
      const session = await orAborted(opening, run.signal);
      attempt.phase = 'agent';
      const end = await this.#prompt(run, lease, session, transcript, attempt);
      this.#problems.delete(this.#problemKey(run));
      return end;
    } catch (error) {
      this.#rememberProblem(run, error);
      throw error;
    } finally {
      lease?.release();
    }
  }

  // Async, so that an invalid definition rejects.
  async assertSound(driver: DriverConfig): Promise<void> {
    await Promise.resolve(this.#program(driver));
  }

  async lackOf(driver: DriverConfig): Promise<string | undefined> {
    const program = this.#program(driver);
    return (await programProblem(program)) ?? this.#problems.get(program.digest);
  }

  #rememberProblem(run: RunContext, error: unknown): void {
    if (!(error instanceof AcpFailure) || !FIXABLE.has(error.code)) return;
    if (this.#problems.size >= MAX_PROBLEMS) this.#problems.clear();
    this.#problems.set(this.#problemKey(run), error.message);
  }

  /** The same in all workspaces. */
  #problemKey({ session }: RunContext): string {
    return this.#program(session.persona.definition.driver).digest;
  }

  #program(driver: DriverConfig, workspace?: string): AgentProgram {
    return agentProgram(configOf(driver), this.ports.environment, workspace);
  }

  /** Retries if the program ended in a turn in which no call had begun and nothing was emitted, so that nothing happens twice. */
  async #mayRetry(run: RunContext, { turn }: Attempt, error: unknown): Promise<boolean> {
    if (run.signal.aborted || !(error instanceof AcpFailure) || !RETRIED.has(error.code)) {
      return false;
    }
    if (!turn || turn.begunCalls.length > 0) return false;
    if ((await run.journal.emitted()) !== undefined) return false;
    await run.journal.note('retried', `${error.message}. The prompt is sent once more.`);
    return true;
  }

  /** The MCP servers of the definition of which the session may use no tool. The program does not get them. */
  async #deniedServers(run: RunContext): Promise<ReadonlySet<string>> {
    const names = Object.keys(run.session.persona.definition.mcpServers ?? {});
    if (names.length === 0) return new Set();
    const policy = { ...(await run.policy()), workspace: run.session.workspace };
    const isDenied = (server: string): boolean => {
      const subject = { type: 'mcp', server, tool: '*' } as const;
      const request = { tool: `mcp__${server}__*`, kind: 'other', subject } as const;
      return this.ports.decide(request, policy).outcome === 'deny';
    };
    return new Set(names.filter(isDenied));
  }

  forget(sessionId: string): void {
    this.#sessions.forget(sessionId);
  }

  async close(): Promise<void> {
    this.#sessions.close();
    await this.#pool.close();
  }

  async #prompt(
    run: RunContext,
    lease: Lease,
    session: AgentSession,
    transcript: Transcript,
    attempt: Attempt,
  ): Promise<DriverEnd> {
    const { process } = lease;
    const digest = instructionsDigest(run.session);
    const hasReceived = session.instructions === digest;
    const isFirst = session.instructions === undefined;
    const prompt = await buildPrompt({
      run,
      transcript,
      instructions: hasReceived ? undefined : isFirst ? 'first' : 'changed',
      isReprimed: session.historyReason !== undefined,
      takesImages: process.capabilities.promptCapabilities?.image === true,
      findAsset: run.assets.find,
      commands: session.commands,
    });
    if (session.historyReason !== undefined) {
      await run.journal.note('reprimed', session.historyReason);
    }
    const promptText = prompt.blocks.map((block) => ('text' in block ? block.text : '')).join('\n');
    const turn = this.#createTurn(run, process, session, transcript, promptText, async () => {
      await deliverItems(run);
      session.historyReason = undefined;
      if (prompt.hasInstructions) session.instructions = digest;
      await this.#writeNote(run, process, session, transcript);
    });
    attempt.turn = turn;
    const stopListening = process.listen(session.id, turn);
    try {
      const request = { sessionId: session.id, prompt: prompt.blocks };
      const answered = process.request(PromptAnswer, methods.agent.session.prompt, request);
      const { stopReason, ...rest } = await this.#answer(run, process, session, turn, answered);
      const answer = await turn.finish(stopReason, readUsage(rest));
      lease.resetCrashes();
      const failure = promptFailure({
        stopReason,
        program: process.program.name,
        answer,
        denials: turn.denials,
        modelFailure: turn.modelFailure,
        hasEmitted: (await run.journal.emitted()) !== undefined,
      });
      if (failure) throw failure;
      return { type: 'completed', output: textOutput(answer) };
    } finally {
      turn.close();
      stopListening();
    }
  }

  #createTurn(
    run: RunContext,
    process: AgentProcess,
    session: AgentSession,
    transcript: Transcript,
    promptText: string,
    delivered: () => Promise<void>,
  ): Turn {
    const steps = transcript.entries.flatMap((entry) =>
      entry.type === 'assistant' && entry.runId === run.runId ? [entry.step] : [],
    );
    return new Turn({
      ...this.ports,
      run,
      process,
      ids: new CallIds(run.runId, transcript),
      firstStep: Math.max(-1, ...steps) + 1,
      model: configOf(run.session.persona.definition.driver).model,
      askMs: this.#limits.askMs,
      promptText,
      isContinued: session.isContinued,
      servers: session.servers,
      delivered,
      changed: (change) => {
        this.#sessions.changed(process, session, change);
      },
    });
  }

  /** Notes the session in the journal, so that it can continue after a restart. */
  async #writeNote(
    run: RunContext,
    process: AgentProcess,
    session: AgentSession,
    { isCut }: Transcript,
  ): Promise<void> {
    const note = writeNote(session, process);
    // In a long journal it is repeated, so that it is always near the end.
    if (session.note === note && !isCut) return;
    await run.journal.note(SESSION_NOTE, note);
    session.note = note;
  }

  /** Waits for the answer to the prompt, unless the turn fails, the program is silent or the run is cancelled. */
  async #answer(
    run: RunContext,
    process: AgentProcess,
    session: AgentSession,
    turn: Turn,
    answered: Promise<PromptAnswer>,
  ): Promise<PromptAnswer> {
    const silence = watchSilence(turn, process, this.#limits, this.ports.timers);
    try {
      return await orAborted(Promise.race([answered, turn.failed, silence.detected]), run.signal);
    } catch (error) {
      const isAnswer = error instanceof RequestError;
      // Some programs report as an error that their model wrote nothing, which is no failure.
      const mayBeEmpty = isAnswer && isEmptyAnswerError(errorText(error));
      if (mayBeEmpty && !run.signal.aborted && (await turn.isSilent())) {
        return { stopReason: 'end_turn' };
      }
      if (!run.signal.aborted) await turn.abort().catch(() => undefined);
      if (error instanceof AcpFailure && error.code === 'acp_replay') {
        process.replaysLate = true;
        this.#sessions.giveUp(run.session.sessionId, session);
      }
      if (!isAnswer && !process.hasEnded) await this.#cancel(run, process, session, turn, answered);
      throw asAcpFailure(process, error);
    } finally {
      silence.stop();
    }
  }

  /** Cancels a prompt. If it does not end, its session is given up; a program that answers nothing is ended. */
  async #cancel(
    run: RunContext,
    process: AgentProcess,
    session: AgentSession,
    turn: Turn,
    answered: Promise<unknown>,
  ): Promise<void> {
    const { timers, diagnose } = this.ports;
    const { settleMs, pingMs } = this.#limits;
    turn.close();
    process.notify(methods.agent.session.cancel, { sessionId: session.id });
    const settled = answered.catch(() => undefined);
    const isSettled = await within(timers, settleMs, settled);
    const { sessionId } = run.session;
    const running = await turn.endCommands();
    if (running > 0) diagnose('commands of an agent program still run', { sessionId, running });
    if (isSettled) return;
    this.#sessions.giveUp(sessionId, session);
    diagnose('a session of an agent program did not stop and was given up', { sessionId });
    void process.isAnswering(pingMs).then((isAnswering) => {
      if (isAnswering) return;
      const message = `${process.program.name} no longer answers`;
      process.end(new AcpFailure('acp_timeout', message));
    });
  }
}

/** Only the end of a long journal is read: the program usually knows the rest. */
const TAIL_BYTES = 512 * 1024;

const FAILURES = /^(?:acp_|invalid_agent$)/;
/** After these failures the same prompt may succeed. */
const RETRIED: ReadonlySet<string> = new Set(['acp_exited', 'acp_replay']);

/** People fix these in the definition or by logging in. A missing program is not listed: it is searched for every time. */
const FIXABLE: ReadonlySet<string> = new Set([
  'acp_auth_required',
  'acp_mode_unavailable',
  'acp_no_model',
]);
const MAX_PROBLEMS = 1_000;

function configOf(driver: DriverConfig): DriverConfigOf<'acp'> {
  if (driver.kind === ACP_DRIVER.kind) return driver;
  throw new StoaError('invalid_agent', 'Its driver is not acp');
}

/** Throws errors that are no failure of the program. */
function failed(run: RunContext, { phase, turn }: Attempt, error: unknown): DriverEnd {
  run.signal.throwIfAborted();
  const isKnown = error instanceof AcpFailure || error instanceof StoaError;
  if (!isKnown || !FAILURES.test(error.code)) throw error;
  const begun = error.code === 'acp_exited' ? (turn?.begunCalls ?? []) : [];
  const calls = begun.length === 0 ? '' : `. These calls had begun: ${begun.join(', ')}`;
  return { type: 'failed', failure: { phase, code: error.code, message: error.message + calls } };
}

/**
 * One program for each definition, workspace and person, because their permissions differ. If the program shares MCP
 * servers between its sessions, one for each session: a session could otherwise act as another.
 */
function poolKey(
  { digest, sharesServers }: AgentProgram,
  { responsibleId, sessionId }: RunContext['session'],
): string {
  const parts = [digest, responsibleId, ...(sharesServers ? [sessionId] : [])];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
