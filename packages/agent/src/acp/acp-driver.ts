import { createHash } from 'node:crypto';
import { methods, RequestError } from '@agentclientprotocol/sdk';
import type { DriverEnd, RunContext, Transcript } from '@stoa/core';
import { ACP_DRIVER, type DriverConfig, type DriverConfigOf, StoaError } from '@stoa/protocol';
import type { AgentDriver } from '../agent-driver.js';
import { deliverItems } from '../deliver-items.js';
import { textOutput } from '../text-output.js';
import { AcpFailure } from './acp-failure.js';
import { AgentPool, type Lease } from './agent-pool.js';
import type { AgentProcess, ProcessPorts } from './agent-process.js';
import { type AgentProgram, agentProgram } from './agent-program.js';
import { type AgentSession, AgentSessions } from './agent-sessions.js';
import { PromptAnswer } from './answers.js';
import type { DeskPorts } from './call-desk.js';
import { CallIds } from './call-ids.js';
import { programLack } from './find-program.js';
import { inWords, wordsOf } from './in-words.js';
import type { McpFor } from './mcp-servers.js';
import type { StreamLimits } from './message-stream.js';
import { buildPrompt, instructionsDigest } from './prompt.js';
import { saysNothing } from './said-failure.js';
import { SESSION_NOTE, writeNote } from './session-note.js';
import { readUsage } from './session-updates.js';
import { watchSilence } from './silence.js';
import { failureOf } from './stop-reasons.js';
import { Turn } from './turn.js';
import { unlessAborted, within } from './within.js';

export interface AcpLimits {
  /** How long a program may take until it is ready, and to open a session. */
  readonly startMs: number;
  readonly sessionMs: number;
  /** How long a cancelled prompt may take to end before its session is given up. */
  readonly settleMs: number;
  readonly pingMs: number;
  /** How long a call that is reported to run may still be asked about before it counts as begun. */
  readonly askMs: number;
  /** How long nothing may be heard of a prompt. */
  readonly silenceMs: number;
  /** How long a program that nobody uses is kept. */
  readonly idleMs: number;
  /** How long to wait before a program is started again, by how often it crashed in a row. */
  readonly backoffMs: readonly number[];
  readonly stream: Partial<StreamLimits>;
}

export const ACP_LIMITS: AcpLimits = {
  startMs: 60_000,
  sessionMs: 60_000,
  settleMs: 3_000,
  pingMs: 3_000,
  askMs: 1_000,
  silenceMs: 10 * 60_000,
  idleMs: 10 * 60_000,
  backoffMs: [1_000, 5_000, 15_000, 60_000],
  stream: {},
};

export interface AcpDriverPorts
  extends DeskPorts,
    Pick<ProcessPorts, 'sandbox' | 'timers' | 'now' | 'diagnose'> {
  /** The daemon's environment, of which a program gets what it needs and what its definition names. */
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** The daemon's own tools for the session of a run; the access is revoked when its program no longer needs it. */
  readonly mcpFor?: McpFor;
  readonly limits?: Partial<AcpLimits>;
}

/**
 * Runs agents that people already use: programs that speak the Agent Client Protocol. One program serves
 * all sessions of the same definition, the same person and the same workspace. What it does goes into the journal, and what
 * it asks for is decided here.
 */
export class AcpDriver implements AgentDriver {
  readonly kind = ACP_DRIVER.kind;
  readonly capabilities = ACP_DRIVER.capabilities;
  readonly #limits: AcpLimits;
  readonly #pool: AgentPool;
  readonly #sessions: AgentSessions;
  /** By program: told with its agent until it does well. */
  readonly #problems = new Map<string, string>();

  constructor(private readonly ports: AcpDriverPorts) {
    this.#limits = { ...ACP_LIMITS, ...ports.limits };
    const { sandbox, timers, now, diagnose } = ports;
    const { stream, ...limits } = this.#limits;
    this.#pool = new AgentPool({ sandbox, timers, now, diagnose, limits: stream, ...limits });
    this.#sessions = new AgentSessions({
      ...ports,
      sessionMs: this.#limits.sessionMs,
      left: (process) => {
        this.#pool.retire(process);
      },
    });
  }

  async execute(run: RunContext): Promise<DriverEnd> {
    const first: Attempt = { phase: 'start', turn: undefined };
    try {
      return await this.#attempt(run, first);
    } catch (error) {
      if (!(await this.#isTriedAgain(run, first, error))) return failed(run, first, error);
    }
    const second: Attempt = { phase: 'start', turn: undefined };
    try {
      return await this.#attempt(run, second);
    } catch (error) {
      return failed(run, second, error);
    }
  }

  async #attempt(run: RunContext, attempt: Attempt): Promise<DriverEnd> {
    let lease: Lease | undefined;
    try {
      const program = this.#programOf(run);
      const key = keyOf(program, run.session);
      lease = await this.#pool.use(key, program, run.signal);
      const transcript = await run.transcript({ bytes: TAIL_BYTES, note: SESSION_NOTE });
      const denied = await this.#deniedServers(run);
      const session = await unlessAborted(
        run.signal,
        this.#sessions.open(run, lease.process, transcript, denied),
      );
      attempt.phase = 'agent';
      const end = await this.#prompt(run, lease, session, transcript, attempt);
      this.#problems.delete(this.#definitionDigest(run));
      return end;
    } catch (error) {
      this.#remember(run, error);
      throw error;
    } finally {
      lease?.release();
    }
  }

  assertSound(driver: DriverConfig): Promise<void> {
    return new Promise((resolve) => {
      agentProgram(configOf(driver), this.ports.environment);
      resolve();
    });
  }

  /** The program itself, or why it failed last, where its definition or what it needs is the cause. */
  async lackOf(driver: DriverConfig): Promise<string | undefined> {
    const program = agentProgram(configOf(driver), this.ports.environment);
    return (await programLack(program)) ?? this.#problems.get(program.digest);
  }

  #remember(run: RunContext, error: unknown): void {
    if (!(error instanceof AcpFailure) || !OF_DEFINITION.has(error.code)) return;
    if (this.#problems.size >= MOST_PROBLEMS) this.#problems.clear();
    this.#problems.set(this.#definitionDigest(run), error.message);
  }

  /** Equal for runs of the same driver configuration, wherever they work. */
  #definitionDigest({ session }: RunContext): string {
    return agentProgram(configOf(session.persona.definition.driver), this.ports.environment).digest;
  }

  /**
   * A program that ended in the middle of a turn is asked once more, if no call had begun and nothing was
   * said with a tool: then nothing happens twice.
   */
  async #isTriedAgain(run: RunContext, { turn }: Attempt, error: unknown): Promise<boolean> {
    if (run.signal.aborted || !(error instanceof AcpFailure) || !TRIED_AGAIN.has(error.code)) {
      return false;
    }
    if (!turn || turn.begun.length > 0) return false;
    if ((await run.journal.emitted()) !== undefined) return false;
    await run.journal.note('retried', `${error.message}. What was asked is tried once more.`);
    return true;
  }

  /** MCP servers of its definition of which the session may use no tool: the program is not told of them. */
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

  #programOf({ session }: RunContext): AgentProgram {
    return agentProgram(
      configOf(session.persona.definition.driver),
      this.ports.environment,
      session.workspace,
    );
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
    const isTold = session.told === digest;
    const prompt = await buildPrompt({
      run,
      transcript,
      instructions: isTold ? undefined : session.told === undefined ? 'first' : 'changed',
      isReprimed: session.history !== undefined,
      takesImages: process.capabilities.promptCapabilities?.image === true,
      findAsset: run.assets.find,
      commands: session.commands,
    });
    if (session.history !== undefined) await run.journal.note('reprimed', session.history);
    const promptText = prompt.blocks.map((block) => ('text' in block ? block.text : '')).join('\n');
    const turn = this.#turnOf(run, process, session, transcript, promptText, async () => {
      await deliverItems(run);
      session.history = undefined;
      if (prompt.tellsInstructions) session.told = digest;
      await this.#note(run, process, session, transcript);
    });
    attempt.turn = turn;
    const stopListening = process.listen(session.id, turn);
    try {
      const request = { sessionId: session.id, prompt: prompt.blocks };
      const { prompt: method } = methods.agent.session;
      const answered = process.calls.request(PromptAnswer, method, request);
      const answer = await this.#untilAnswered(run, process, session, turn, answered);
      const said = await turn.finish(answer.stopReason, readUsage(answer));
      lease.praise();
      const failure = failureOf({
        stopReason: answer.stopReason,
        program: process.program.name,
        said,
        denials: turn.denials,
        trouble: turn.trouble,
        hasEmitted: (await run.journal.emitted()) !== undefined,
      });
      if (failure) throw failure;
      return { type: 'completed', output: textOutput(said) };
    } finally {
      turn.close();
      stopListening();
    }
  }

  #turnOf(
    run: RunContext,
    process: AgentProcess,
    session: AgentSession,
    transcript: Transcript,
    promptText: string,
    delivered: () => Promise<void>,
  ): Turn {
    const { decide, home, sandbox, diagnose, now, timers } = this.ports;
    const steps = transcript.entries.flatMap((entry) =>
      entry.type === 'assistant' && entry.runId === run.runId ? [entry.step] : [],
    );
    return new Turn({
      run,
      process,
      ids: new CallIds(run.runId, transcript),
      firstStep: Math.max(-1, ...steps) + 1,
      now,
      model: configOf(run.session.persona.definition.driver).model,
      decide,
      home,
      sandbox,
      diagnose,
      timers,
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

  /** So that it is found again after a restart; with it, whether it knows its instructions. */
  async #note(
    run: RunContext,
    process: AgentProcess,
    session: AgentSession,
    { isCut }: Transcript,
  ): Promise<void> {
    const { id, told } = session;
    const note = writeNote({ id, told: told ?? '', program: process.program.family });
    // In a long journal it is said anew, so that it is never far to look for.
    if (session.note === note && !isCut) return;
    await run.journal.note(SESSION_NOTE, note);
    session.note = note;
  }

  async #untilAnswered(
    run: RunContext,
    process: AgentProcess,
    session: AgentSession,
    turn: Turn,
    answered: Promise<PromptAnswer>,
  ): Promise<PromptAnswer> {
    const silence = watchSilence(turn, process, { ...this.#limits, timers: this.ports.timers });
    try {
      return await unlessAborted(
        run.signal,
        Promise.race([answered, turn.broken, silence.happens]),
      );
    } catch (error) {
      const isAnswer = error instanceof RequestError;
      // Some programs report as an error that their model wrote nothing, which is no failure.
      const mayBeSilent = error instanceof RequestError && saysNothing(wordsOf(error));
      if (mayBeSilent && !run.signal.aborted && (await turn.isSilent())) {
        return { stopReason: 'end_turn' };
      }
      if (!run.signal.aborted) await turn.breakOff().catch(() => undefined);
      if (error instanceof AcpFailure && error.code === 'acp_replay') {
        process.replaysLate = true;
        this.#sessions.giveUp(run.session.sessionId, session);
      }
      if (!isAnswer && !process.hasEnded) await this.#cancel(run, process, session, turn, answered);
      if (isAnswer) throw inWords(process, error);
      throw error;
    } finally {
      silence.callOff();
    }
  }

  /**
   * Ends a prompt that nobody waits for any more. One that does not end costs its session, and no other:
   * only a program that answers nothing at all is ended.
   */
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
    process.calls.tell(methods.agent.session.cancel, { sessionId: session.id });
    const over = answered.then(
      () => undefined,
      () => undefined,
    );
    const isSettled = await within(timers, settleMs, over);
    const { sessionId } = run.session;
    const left = await turn.endCommands();
    if (left > 0) diagnose('commands of an agent program are left', { sessionId, left });
    if (isSettled) return;
    this.#sessions.giveUp(sessionId, session);
    diagnose('a session of an agent program did not stop and was given up', { sessionId });
    void process.isAnswering(pingMs).then((isAnswering) => {
      if (isAnswering) return;
      const words = `${process.program.name} does not answer any more`;
      process.fail(new AcpFailure('acp_timeout', words));
    });
  }
}

/** The program knows what was before, and if it does not, it is told only the newest part. */
const TAIL_BYTES = 512 * 1024;

const FAILURES = /^(?:acp_|invalid_agent$)/;
/** After these the same question may well be answered. */
const TRIED_AGAIN: ReadonlySet<string> = new Set(['acp_exited', 'acp_replay']);

/** What people mend in the definition, or by logging in. What is not installed is looked for each time. */
const OF_DEFINITION: ReadonlySet<string> = new Set([
  'acp_auth_required',
  'acp_mode_unavailable',
  'acp_no_model',
]);
const MOST_PROBLEMS = 1_000;

/** One try to have a program answer. */
interface Attempt {
  phase: 'start' | 'agent';
  turn: Turn | undefined;
}

function configOf(driver: DriverConfig): DriverConfigOf<'acp'> {
  if (driver.kind === ACP_DRIVER.kind) return driver;
  throw new StoaError('invalid_agent', 'Its driver is no program that speaks ACP');
}

/** Throws what is no failure of the program. */
function failed(run: RunContext, { phase, turn }: Attempt, error: unknown): DriverEnd {
  run.signal.throwIfAborted();
  const isKnown = error instanceof AcpFailure || error instanceof StoaError;
  if (!isKnown || !FAILURES.test(error.code)) throw error;
  const begun = error.code === 'acp_exited' ? (turn?.begun ?? []) : [];
  const known = begun.length === 0 ? '' : `. These calls had begun: ${begun.join(', ')}`;
  const message = `${error.message}${known}`;
  return { type: 'failed', failure: { phase, code: error.code, message } };
}

/**
 * One program for each definition, workspace and person it works for: what one may see or change, another
 * must not. One for each session where the program would let a session act as another through its tools.
 */
function keyOf(
  { digest, sharesServers }: AgentProgram,
  { responsibleId, sessionId }: RunContext['session'],
): string {
  const apart = sharesServers ? [sessionId] : [];
  return createHash('sha256')
    .update(JSON.stringify([digest, responsibleId, ...apart]))
    .digest('hex');
}
