import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { isFenced, type Timers } from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import type { Place } from '../tools/paths.js';
import { AcpFailure } from './acp-failure.js';
import type { SessionListener } from './agent-process.js';
import type {
  PermissionOption,
  PermissionRequest,
  ReadFileRequest,
  WriteFileRequest,
} from './answers.js';
import { CallDesk, type DeskPorts, type Verdict } from './call-desk.js';
import { type KnownServers, type Touches, touchesOf } from './call-subjects.js';
import { FileCallbacks } from './file-callbacks.js';
import { InOrder } from './in-order.js';
import { namedArguments } from './named-arguments.js';
import {
  readUpdate,
  type SessionUpdate,
  ToolCallReport,
  type UsageReport,
} from './session-updates.js';
import type { ToolCall } from './tool-call.js';
import { TurnCommands } from './turn-commands.js';
import { TurnJournal, type TurnJournalPorts } from './turn-journal.js';

export interface TurnPorts extends DeskPorts, TurnJournalPorts {
  readonly timers: Timers;
  /** The prompt of this turn, as one text. */
  readonly promptText: string;
  /** Whether its session was there before: only such a one can repeat what was said in it. */
  readonly isContinued: boolean;
  /** How long a call that is reported to run may still be asked about. */
  readonly askMs: number;
  /** Those that the session was given. */
  readonly servers: KnownServers;
  /** The program has what it was asked. */
  readonly delivered: () => Promise<void>;
  readonly changed: (change: Extract<SessionUpdate, { type: 'mode' | 'commands' }>) => void;
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };
const WAITING_UPDATES = 50_000;
const TOLD_CHARS = 300;

const bare = (text: string): string => text.replaceAll(/\s+/g, '');

/**
 * One prompt and all that an agent program says until it is answered, as it goes into the journal: a
 * message before its calls, a call before its result, in the order in which the program reported them.
 */
export class Turn implements SessionListener {
  /** Rejects when the journal cannot take what happens: the run is over, or the store is gone. */
  readonly broken: Promise<never>;
  readonly #order: InOrder;
  readonly #journal: TurnJournal;
  readonly #allowedPlaces = new Map<ToolCall, readonly Place[]>();
  readonly #desk: CallDesk;
  readonly #files: FileCallbacks;
  #break!: (error: unknown) => void;
  #isDelivered = false;
  #isOver = false;
  #asking = 0;
  readonly #denials: string[] = [];
  #trouble: string | undefined;
  #isRetrying = false;
  #heardAt: number;
  readonly #commands: TurnCommands;
  readonly #counted = new Set<ToolCall>();
  /** Calls that count as begun when nobody is asked about them in time. */
  readonly #expected = new Map<ToolCall, () => void>();

  constructor(private readonly ports: TurnPorts) {
    this.#journal = new TurnJournal(ports);
    this.#heardAt = ports.now();
    this.broken = new Promise((_, reject) => {
      this.#break = reject;
    });
    this.broken.catch(() => undefined);
    this.#order = new InOrder((error) => {
      this.#isOver = true;
      this.#break(error);
    });
    const { run, process } = ports;
    const { opened } = process;
    this.#commands = new TurnCommands({
      timers: ports.timers,
      family: () => process.family(),
      // Some programs have a process for each session.
      isShared: () => process.turns > 1 || process.opened !== opened,
    });
    const { directories, files } = process.program.settings;
    const writable = [...directories, ...files];
    this.#desk = new CallDesk({ ...ports, scrub: process.scrub, writable }, run);
    this.#files = new FileCallbacks({
      run,
      desk: this.#desk,
      ids: () => ports.ids,
      isCovered: (place, does) => this.#isCovered(place, does),
      scrub: process.scrub,
    });
  }

  /** How long nothing was heard of it; nothing is expected while people are asked. */
  get quietMs(): number {
    return this.#asking > 0 ? 0 : this.ports.now() - this.#heardAt;
  }

  get hasOpenCalls(): boolean {
    return this.#journal.hasOpenCalls;
  }

  /** The calls that were denied, in words: some programs then stop. */
  get denials(): readonly string[] {
    return this.#denials;
  }

  /** Whether it has said nothing since its last call. */
  isSilent(): Promise<boolean> {
    return this.#order.add(() => Promise.resolve(this.#journal.isSilent));
  }

  /** The model failure that the program reported. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** The calls that began, or may have, in words. */
  get begun(): string[] {
    return this.#journal.begun.map(({ title }) => this.ports.process.scrub(title));
  }

  /** Ends what the program still runs of this turn. Tells how many processes did not end. */
  endCommands(): Promise<number> {
    return this.#commands.end();
  }

  touch(): void {
    this.#heardAt = this.ports.now();
    this.ports.run.active();
  }

  update(raw: unknown): void {
    const update = readUpdate(raw);
    // Also when it comes too late for anything else: what runs is to be ended.
    if (update.type === 'tool') this.#countReported(update.report);
    if (this.#isOver) return;
    this.touch();
    if (update.type === 'mode' || update.type === 'commands') {
      this.ports.changed(update);
      return;
    }
    if (update.type === 'other') return;
    if (update.type === 'user') {
      this.#hearUser(update.text);
      return;
    }
    if (this.#order.length >= WAITING_UPDATES) {
      const words = `${this.ports.process.program.name} reports more than can be written down`;
      this.ports.process.fail(new AcpFailure('acp_flood', words));
      return;
    }
    void this.#order.add(() => this.#apply(update));
  }

  async permission(request: PermissionRequest): Promise<RequestPermissionResponse> {
    if (this.#isOver) return CANCELLED;
    this.#asking += 1;
    try {
      return await this.#decide(request);
    } catch (error) {
      // It is told nothing but that the turn is over; why that is shows there.
      if (!isFenced(error) && !this.ports.run.signal.aborted) this.#break(error);
      return CANCELLED;
    } finally {
      this.#asking -= 1;
      this.touch();
    }
  }

  readTextFile(request: ReadFileRequest): Promise<{ content: string }> {
    return this.#whileAsking(() => this.#files.read(request));
  }

  writeTextFile(request: WriteFileRequest): Promise<void> {
    return this.#whileAsking(() => this.#files.write(request));
  }

  /** The prompt was answered: writes down what is left, and tells what was said after the last call. */
  async finish(finishReason: string, usage: UsageReport | undefined): Promise<string> {
    this.#expectNothing();
    const said = await this.#order.add(async () => {
      await this.#deliver();
      return this.#journal.finish(finishReason, usage);
    });
    this.#isOver = true;
    return said;
  }

  /** It goes no further: what was said so far is kept. */
  async breakOff(): Promise<void> {
    this.#expectNothing();
    await this.#order.add(async () => {
      if (this.#isDelivered) await this.#journal.breakOff();
    });
    this.#isOver = true;
  }

  /** What comes from now on is not listened to. */
  close(): void {
    this.#isOver = true;
    this.#expectNothing();
  }

  /** A program that repeats what was asked before would repeat the answers too, as if they were new. */
  #hearUser(text: string): void {
    const { isContinued, promptText, process } = this.ports;
    const said = bare(text);
    if (!isContinued || said === '' || bare(promptText).includes(said)) return;
    this.#isOver = true;
    const words = `${process.program.name} repeated what was said before in the middle of a turn`;
    this.#break(new AcpFailure('acp_replay', words));
  }

  async #apply(update: SessionUpdate): Promise<void> {
    if (this.#isOver) return;
    await this.#deliver();
    if (update.type === 'text') {
      if (update.text !== '') {
        await this.#journal.announce();
        this.#journal.show(update.text);
      }
      await this.#journal.report(update.usage);
    } else if (update.type === 'tool') {
      const call = this.#journal.callOf(update.report);
      if (call.status !== 'pending') await this.#follow(call);
    } else if (update.type === 'trouble') await this.#hearTrouble(update);
  }

  async #follow(call: ToolCall): Promise<void> {
    if (!call.isAsked) await this.#look(call);
    if (call.status !== 'in_progress') {
      this.#expected.get(call)?.();
      await this.#journal.follow(call);
      return;
    }
    await this.#journal.announce();
    // Some report that a call runs before they ask about it: it has begun when nobody is asked.
    if (call.isAsked || call.isStarted || call.isSettled || this.#expected.has(call)) return;
    const { timers, askMs } = this.ports;
    const stop = timers.after(askMs, () => {
      this.#expected.delete(call);
      if (this.#isOver || call.isAsked) return;
      void this.#order.add(() => this.#journal.start(call)).catch(() => undefined);
    });
    this.#expected.set(call, () => {
      stop();
      this.#expected.delete(call);
    });
  }

  #expectNothing(): void {
    for (const stop of [...this.#expected.values()]) stop();
  }

  /** A call that the program did not ask about. */
  async #look(call: ToolCall): Promise<void> {
    if (this.#counted.has(call)) return;
    this.#counted.add(call);
    const { run, servers, process } = this.ports;
    const touches = touchesOf(call, run.session.workspace, servers);
    const isForeign =
      touches.ownTool === undefined && touches.subjects.some(({ type }) => type === 'mcp');
    if (!isForeign) return;
    const why = await this.#desk.whyDenied({ tool: call.tool, touches });
    if (why === undefined) return;
    const words = `${process.program.name} called ${call.tool} without asking. ${why}`;
    throw new AcpFailure('acp_not_asked', process.scrub(words));
  }

  #count({ kind, subjects }: Touches): void {
    const commands = subjects.flatMap((subject) =>
      subject.type === 'shell' ? [subject.command] : [],
    );
    if (commands.length > 0 || kind === 'execute') this.#commands.begin(commands);
  }

  #countReported({ kind, rawInput }: ToolCallReport): void {
    const { commands } = namedArguments(rawInput, this.ports.run.session.workspace);
    if (commands.length > 0 || kind === 'execute') this.#commands.begin(commands);
  }

  async #hearTrouble({
    isRetried,
    words,
  }: Extract<SessionUpdate, { type: 'trouble' }>): Promise<void> {
    const { process, run } = this.ports;
    const told = process.scrub(words).slice(0, TOLD_CHARS).toWellFormed();
    if (!isRetried) {
      this.#trouble ??= told;
      return;
    }
    this.#journal.showNotice(`[retrying: ${told}]`);
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    await run.journal.note('retrying', `${process.program.name} is retrying: ${told}`);
  }

  async #decide({ toolCall, options }: PermissionRequest): Promise<RequestPermissionResponse> {
    const call = await this.#order.add(async () => {
      await this.#deliver();
      const asked = this.#journal.callToAsk(
        ToolCallReport.parse({ name: toolNamedIn(options), ...toolCall }),
      );
      asked.fix();
      this.#expected.get(asked)?.();
      await this.#journal.announce();
      return asked;
    });
    const touches = touchesOf(call, this.ports.run.session.workspace, this.ports.servers);
    const verdict = await this.#judge(call, touches);
    const answer = verdict.isAllowed ? allowing(options, verdict.isStanding) : undefined;
    if (verdict.isAllowed && answer) {
      await this.#order.add(() => this.#journal.start(call, verdict.approvalId));
      this.#allowedPlaces.set(call, verdict.places);
      this.#count(touches);
      return answer;
    }
    const words = verdict.isAllowed
      ? 'The agent takes no permission for one call only: it did not run.'
      : verdict.words;
    await this.#order.add(() => this.#journal.settle(call, 'denied', words));
    this.#denials.push(this.ports.process.scrub(`${call.title} (${words})`));
    return rejecting(options);
  }

  async #judge(call: ToolCall, touches: Touches): Promise<Verdict> {
    const { questionId: callId, tool, isNamed, title, input, hash, detail, lack } = call;
    try {
      const asked = { callId, tool, isNamed, title, input, hash, detail, lack, touches };
      return await this.#desk.decide(asked);
    } catch (error) {
      if (!(error instanceof StoaError) || error.code !== 'limit_reached') throw error;
      return { isAllowed: false, words: error.message };
    }
  }

  async #whileAsking<T>(work: () => Promise<T>): Promise<T> {
    this.ports.run.signal.throwIfAborted();
    this.#asking += 1;
    try {
      return await work();
    } finally {
      this.#asking -= 1;
      this.touch();
    }
  }

  #isCovered({ path }: Place, does: 'read' | 'edit'): boolean {
    for (const [call, places] of this.#allowedPlaces) {
      if (call.isSettled || (does === 'edit' && call.kind !== 'edit')) continue;
      if (places.some((place) => place.path === path)) return true;
    }
    return false;
  }

  async #deliver(): Promise<void> {
    if (this.#isDelivered) return;
    this.#isDelivered = true;
    await this.ports.delivered();
  }
}

type Kind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

/** A permission for one call becomes a standing one only where the answer is standing itself. */
function allowing(
  options: readonly PermissionOption[],
  isStanding: boolean,
): RequestPermissionResponse | undefined {
  const option =
    ofKind(options, 'allow_once') ?? (isStanding ? ofKind(options, 'allow_always') : undefined);
  return option && chosen(option);
}

function rejecting(options: readonly PermissionOption[]): RequestPermissionResponse {
  const option = ofKind(options, 'reject_once') ?? ofKind(options, 'reject_always');
  return option ? chosen(option) : { outcome: { outcome: 'cancelled' } };
}

function ofKind(options: readonly PermissionOption[], kind: Kind): PermissionOption | undefined {
  return options.find((option) => option.kind === kind);
}

const chosen = ({ optionId }: PermissionOption): RequestPermissionResponse => ({
  outcome: { outcome: 'selected', optionId },
});

/** Some programs say only in an option which tool it is that they ask for. */
function toolNamedIn(options: readonly PermissionOption[]): string | undefined {
  for (const { name } of options) {
    const [, tool] = /^Always Allow in project: (\w+)$/.exec(name ?? '') ?? [];
    if (tool !== undefined) return tool;
  }
  return undefined;
}
