import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { isFenced, type Timers } from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import type { LocatedPath } from '../tools/paths.js';
import { AcpFailure } from './acp-failure.js';
import type { SessionListener } from './agent-process.js';
import type {
  PermissionOption,
  PermissionRequest,
  ReadFileRequest,
  WriteFileRequest,
} from './answers.js';
import { CallPermissions, type PermissionPorts, type Verdict } from './call-permissions.js';
import { type CallSubjects, callSubjects, type KnownServers } from './call-subjects.js';
import { FileCallbacks } from './file-callbacks.js';
import { namedArguments } from './named-arguments.js';
import { SerialQueue } from './serial-queue.js';
import {
  readUpdate,
  type SessionUpdate,
  ToolCallReport,
  type UsageReport,
} from './session-updates.js';
import type { ToolCall } from './tool-call.js';
import { TurnCommands } from './turn-commands.js';
import { TurnJournal, type TurnJournalPorts } from './turn-journal.js';

export interface TurnPorts extends PermissionPorts, TurnJournalPorts {
  readonly timers: Timers;
  /** The text of the prompt. */
  readonly promptText: string;
  /** Whether the session existed before: only then the program can repeat earlier messages. */
  readonly isContinued: boolean;
  /** How long the program may take to ask for permission after it reports a running call. */
  readonly askMs: number;
  readonly servers: KnownServers;
  /** Called when the program has the prompt. */
  readonly delivered: () => Promise<void>;
  readonly changed: (change: Extract<SessionUpdate, { type: 'mode' | 'commands' }>) => void;
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };
const MAX_WAITING_UPDATES = 50_000;
const MODEL_FAILURE_CHARS = 300;

const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '');

/**
 * One prompt: journals what an agent program reports until it answers, in the order of its reports, and decides its
 * requests for permission.
 */
export class Turn implements SessionListener {
  /** Rejects if the turn cannot continue: the run has ended, or the store is gone. */
  readonly failed: Promise<never>;
  readonly #queue: SerialQueue;
  readonly #journal: TurnJournal;
  /** The files that calls have permission for. */
  readonly #allowedFiles = new Map<ToolCall, readonly LocatedPath[]>();
  readonly #permissions: CallPermissions;
  readonly #files: FileCallbacks;
  #fail!: (error: unknown) => void;
  #isDelivered = false;
  #isOver = false;
  /** How many questions are open. */
  #questions = 0;
  /** The denied calls with the reasons. */
  readonly denials: string[] = [];
  /** The model failure that the program reported. */
  modelFailure: string | undefined;
  #isRetrying = false;
  #lastActivityAt: number;
  readonly #commands: TurnCommands;
  readonly #checked = new Set<ToolCall>();
  /** Timers of running calls for which the program may still ask for permission. */
  readonly #askTimers = new Map<ToolCall, () => void>();

  constructor(private readonly ports: TurnPorts) {
    this.#journal = new TurnJournal(ports);
    this.#lastActivityAt = ports.now();
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined);
    this.#queue = new SerialQueue((error) => {
      this.#isOver = true;
      this.#fail(error);
    });
    const { run, process } = ports;
    const { openedSessions } = process;
    this.#commands = new TurnCommands({
      timers: ports.timers,
      processes: () => process.descendants(),
      // Some programs start a process for each session.
      isShared: () => process.openTurns > 1 || process.openedSessions !== openedSessions,
    });
    const { directories, files } = process.program.settings;
    const writable = [...directories, ...files];
    this.#permissions = new CallPermissions({ ...ports, scrub: process.scrub, writable }, run);
    this.#files = new FileCallbacks({
      run,
      permissions: this.#permissions,
      ids: ports.ids,
      isCovered: (file, access) => this.#isCovered(file, access),
      scrub: process.scrub,
    });
  }

  /** Milliseconds since the last sign of activity; zero while a question is open. */
  get quietMs(): number {
    return this.#questions > 0 ? 0 : this.ports.now() - this.#lastActivityAt;
  }

  get hasOpenCalls(): boolean {
    return this.#journal.hasOpenCalls;
  }

  /** Whether there is no text since the last call. */
  isSilent(): Promise<boolean> {
    return this.#queue.add(() => Promise.resolve(this.#journal.isSilent));
  }

  /** The titles of the calls that began, or may have begun. */
  get begunCalls(): string[] {
    return this.#journal.begun.map(({ title }) => this.ports.process.scrub(title));
  }

  /** Ends the commands of this turn. Returns how many processes still run. */
  endCommands(): Promise<number> {
    return this.#commands.end();
  }

  recordActivity(): void {
    this.#lastActivityAt = this.ports.now();
    this.ports.run.active();
  }

  update(raw: unknown): void {
    const update = readUpdate(raw);
    // Also after the turn is over, so that the command is ended with it.
    if (update.type === 'tool') {
      const { kind, rawInput } = update.report;
      const { commands } = namedArguments(rawInput, this.ports.run.session.workspace);
      this.#recordCommands(kind, commands);
    }
    if (this.#isOver) return;
    this.recordActivity();
    if (update.type === 'mode' || update.type === 'commands') {
      this.ports.changed(update);
      return;
    }
    if (update.type === 'other') return;
    if (update.type === 'user') {
      this.#checkReplay(update.text);
      return;
    }
    if (this.#queue.length >= MAX_WAITING_UPDATES) {
      const message = `${this.ports.process.program.name} reports faster than it can be journaled`;
      this.ports.process.end(new AcpFailure('acp_flood', message));
      return;
    }
    void this.#queue.add(() => this.#apply(update));
  }

  async permission(request: PermissionRequest): Promise<RequestPermissionResponse> {
    if (this.#isOver) return CANCELLED;
    this.#questions += 1;
    try {
      return await this.#decide(request);
    } catch (error) {
      // The program only learns that the turn is cancelled; `failed` has the cause.
      if (!isFenced(error) && !this.ports.run.signal.aborted) this.#fail(error);
      return CANCELLED;
    } finally {
      this.#questions -= 1;
      this.recordActivity();
    }
  }

  readTextFile(request: ReadFileRequest): Promise<{ content: string }> {
    return this.#withQuestion(() => this.#files.read(request));
  }

  writeTextFile(request: WriteFileRequest): Promise<void> {
    return this.#withQuestion(() => this.#files.write(request));
  }

  /** Journals the rest after the answer to the prompt. Returns the text after the last call. */
  async finish(finishReason: string, usage: UsageReport | undefined): Promise<string> {
    this.#stopAskTimers();
    const answer = await this.#queue.add(async () => {
      await this.#deliver();
      return this.#journal.finish(finishReason, usage);
    });
    this.#isOver = true;
    return answer;
  }

  /** Journals the text so far of a turn that failed. */
  async abort(): Promise<void> {
    this.#stopAskTimers();
    await this.#queue.add(async () => {
      if (this.#isDelivered) await this.#journal.abort();
    });
    this.#isOver = true;
  }

  /** Ignores all further reports. */
  close(): void {
    this.#isOver = true;
    this.#stopAskTimers();
  }

  /** Fails if the program repeats an earlier input: it would repeat the answers too, as if they were new. */
  #checkReplay(text: string): void {
    const { isContinued, promptText, process } = this.ports;
    const input = withoutSpace(text);
    if (!isContinued || input === '' || withoutSpace(promptText).includes(input)) return;
    this.#isOver = true;
    const message = `${process.program.name} repeated earlier messages in the middle of a turn`;
    this.#fail(new AcpFailure('acp_replay', message));
  }

  async #apply(update: SessionUpdate): Promise<void> {
    if (this.#isOver) return;
    await this.#deliver();
    if (update.type === 'text') {
      if (update.text !== '') {
        await this.#journal.announce();
        this.#journal.addText(update.text);
      }
      await this.#journal.reportUsage(update.usage);
    } else if (update.type === 'tool') {
      const call = this.#journal.callOf(update.report);
      if (call.status !== 'pending') await this.#follow(call);
    } else if (update.type === 'model_failure') await this.#recordModelFailure(update);
  }

  async #follow(call: ToolCall): Promise<void> {
    if (!call.isAsked) await this.#checkDenied(call);
    if (call.status !== 'in_progress') {
      this.#askTimers.get(call)?.();
      await this.#journal.end(call);
      return;
    }
    await this.#journal.announce();
    // Some programs report that a call runs before they ask for permission. It has begun if they do not ask in time.
    if (call.isAsked || call.isStarted || call.isSettled || this.#askTimers.has(call)) return;
    const { timers, askMs } = this.ports;
    const stop = timers.after(askMs, () => {
      this.#askTimers.delete(call);
      if (this.#isOver || call.isAsked) return;
      void this.#queue.add(() => this.#journal.start(call)).catch(() => undefined);
    });
    this.#askTimers.set(call, () => {
      stop();
      this.#askTimers.delete(call);
    });
  }

  #stopAskTimers(): void {
    for (const stop of [...this.#askTimers.values()]) stop();
  }

  /** Throws if the rules deny a call for which the program did not ask. */
  async #checkDenied(call: ToolCall): Promise<void> {
    if (this.#checked.has(call)) return;
    this.#checked.add(call);
    const { run, servers, process } = this.ports;
    const subjects = callSubjects(call, run.session.workspace, servers);
    if (subjects.ownTool !== undefined) return;
    const reason = await this.#permissions.denialReason(call.tool, subjects);
    if (reason === undefined) return;
    const message = `${process.program.name} called ${call.tool} without asking. ${reason}`;
    throw new AcpFailure('acp_not_asked', process.scrub(message));
  }

  #recordCommands(kind: string | null | undefined, commands: readonly string[]): void {
    if (commands.length > 0 || kind === 'execute') this.#commands.begin(commands);
  }

  async #recordModelFailure(
    failure: Extract<SessionUpdate, { type: 'model_failure' }>,
  ): Promise<void> {
    const { process, run } = this.ports;
    const message = process.scrub(failure.message).slice(0, MODEL_FAILURE_CHARS).toWellFormed();
    if (!failure.isRetried) {
      this.modelFailure ??= message;
      return;
    }
    this.#journal.showNotice(`[retrying: ${message}]`);
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    await run.journal.note('retrying', `${process.program.name} is retrying: ${message}`);
  }

  async #decide({ toolCall, options }: PermissionRequest): Promise<RequestPermissionResponse> {
    const call = await this.#queue.add(async () => {
      await this.#deliver();
      const asked = this.#journal.callToDecide(
        ToolCallReport.parse({ name: toolNamedIn(options), ...toolCall }),
      );
      asked.fixDescription();
      this.#askTimers.get(asked)?.();
      await this.#journal.announce();
      return asked;
    });
    const subjects = callSubjects(call, this.ports.run.session.workspace, this.ports.servers);
    const verdict = await this.#judge(call, subjects);
    // A permanent permission is selected only if the decision is permanent too.
    const kinds = verdict.isAllowed && verdict.isStanding ? ['allow_always'] : [];
    const answer = verdict.isAllowed ? select(options, 'allow_once', ...kinds) : undefined;
    if (verdict.isAllowed && answer) {
      await this.#queue.add(() => this.#journal.start(call, verdict.approvalId));
      this.#allowedFiles.set(call, verdict.files);
      const commands = subjects.subjects.flatMap((subject) =>
        subject.type === 'shell' ? [subject.command] : [],
      );
      this.#recordCommands(subjects.kind, commands);
      return answer;
    }
    const reason = verdict.isAllowed
      ? 'The agent accepts no permission for a single call: it did not run.'
      : verdict.reason;
    await this.#queue.add(() => this.#journal.settle(call, 'denied', reason));
    this.denials.push(this.ports.process.scrub(`${call.title} (${reason})`));
    return select(options, 'reject_once', 'reject_always') ?? CANCELLED;
  }

  async #judge(call: ToolCall, subjects: CallSubjects): Promise<Verdict> {
    const { questionId: callId, tool, isNamed, title, input, hash, detail, undescribed } = call;
    const described = { callId, tool, isNamed, title, input, hash, detail, undescribed };
    try {
      return await this.#permissions.decide({ ...described, subjects });
    } catch (error) {
      if (!(error instanceof StoaError) || error.code !== 'limit_reached') throw error;
      return { isAllowed: false, reason: error.message };
    }
  }

  async #withQuestion<T>(work: () => Promise<T>): Promise<T> {
    this.ports.run.signal.throwIfAborted();
    this.#questions += 1;
    try {
      return await work();
    } finally {
      this.#questions -= 1;
      this.recordActivity();
    }
  }

  #isCovered({ path }: LocatedPath, access: 'read' | 'edit'): boolean {
    for (const [call, files] of this.#allowedFiles) {
      if (call.isSettled || (access === 'edit' && call.kind !== 'edit')) continue;
      if (files.some((file) => file.path === path)) return true;
    }
    return false;
  }

  async #deliver(): Promise<void> {
    if (this.#isDelivered) return;
    this.#isDelivered = true;
    await this.ports.delivered();
  }
}

/** Selects the first option of the first of these kinds that is offered. */
function select(
  options: readonly PermissionOption[],
  ...kinds: readonly string[]
): RequestPermissionResponse | undefined {
  for (const kind of kinds) {
    const option = options.find((one) => one.kind === kind);
    if (option) return { outcome: { outcome: 'selected', optionId: option.optionId } };
  }
  return undefined;
}

/** The tool name in the options of a request: some programs report it only there. */
function toolNamedIn(options: readonly PermissionOption[]): string | undefined {
  for (const { name } of options) {
    const [, tool] = /^Always Allow in project: (\w+)$/.exec(name ?? '') ?? [];
    if (tool !== undefined) return tool;
  }
  return undefined;
}
