import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { isFenced } from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import type { Place } from '../tools/paths.js';
import { AcpFailure } from './acp-failure.js';
import type { SessionListener } from './agent-process.js';
import type { PermissionRequest, ReadFileRequest, WriteFileRequest } from './answers.js';
import { CallDesk, type DeskPorts, type Verdict } from './call-desk.js';
import { touchesOf } from './call-subjects.js';
import { FileCallbacks } from './file-callbacks.js';
import { InOrder } from './in-order.js';
import { allowing, rejecting, toolNamedIn } from './permission-option.js';
import {
  readUpdate,
  type SessionUpdate,
  ToolCallReport,
  type UsageReport,
} from './session-updates.js';
import type { ToolCall } from './tool-call.js';
import { TurnJournal, type TurnJournalPorts } from './turn-journal.js';

export interface TurnPorts extends DeskPorts, TurnJournalPorts {
  /** The program has what it was asked. */
  readonly delivered: () => Promise<void>;
  readonly changed: (change: Extract<SessionUpdate, { type: 'mode' | 'commands' }>) => void;
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };
const WAITING_UPDATES = 50_000;

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
  #denials = 0;
  #heardAt: number;

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
    this.#desk = new CallDesk({ ...ports, scrub: process.scrub }, run);
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

  /** Whether a call was denied: some programs then stop. */
  get wasDenied(): boolean {
    return this.#denials > 0;
  }

  touch(): void {
    this.#heardAt = this.ports.now();
    this.ports.run.active();
  }

  update(raw: unknown): void {
    if (this.#isOver) return;
    this.touch();
    const update = readUpdate(raw);
    if (update.type === 'mode' || update.type === 'commands') {
      this.ports.changed(update);
      return;
    }
    if (update.type === 'other') return;
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
    const said = await this.#order.add(async () => {
      await this.#deliver();
      return this.#journal.finish(finishReason, usage);
    });
    this.#isOver = true;
    return said;
  }

  /** It goes no further: what was said so far is kept. */
  async breakOff(): Promise<void> {
    await this.#order.add(async () => {
      if (this.#isDelivered) await this.#journal.breakOff();
    });
    this.#isOver = true;
  }

  /** What comes from now on is not listened to. */
  close(): void {
    this.#isOver = true;
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
      if (call.status !== 'pending') await this.#journal.follow(call);
    }
  }

  async #decide({ toolCall, options }: PermissionRequest): Promise<RequestPermissionResponse> {
    const call = await this.#order.add(async () => {
      await this.#deliver();
      const asked = this.#journal.callToAsk(
        ToolCallReport.parse({ name: toolNamedIn(options), ...toolCall }),
      );
      asked.fix();
      await this.#journal.announce();
      return asked;
    });
    const verdict = await this.#judge(call);
    const answer = verdict.isAllowed ? allowing(options, verdict.isStanding) : undefined;
    if (verdict.isAllowed && answer) {
      await this.#order.add(() => this.#journal.start(call, verdict.approvalId));
      this.#allowedPlaces.set(call, verdict.places);
      return answer;
    }
    const words = verdict.isAllowed
      ? 'The agent takes no permission for one call only: it did not run.'
      : verdict.words;
    await this.#order.add(() => this.#journal.settle(call, 'denied', words));
    this.#denials += 1;
    return rejecting(options);
  }

  async #judge(call: ToolCall): Promise<Verdict> {
    const { questionId: callId, tool, isNamed, title, input, diff } = call;
    try {
      const touches = touchesOf(call, this.ports.run.session.workspace);
      const asked = { callId, tool, isNamed, title, input, detail: diff, touches };
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
