import { createHash } from 'node:crypto';
import type { RunContext, Transcript } from '@stoa/core';
import type { AssistantPart, ToolOutcome, Usage } from '@stoa/protocol';
import { StreamScrubber, scrubJson } from '../builtin/scrub.js';
import type { AgentProcess } from './agent-process.js';
import type { ToolCallReport, UsageReport } from './session-updates.js';
import { boundedInput, ToolCall } from './tool-call.js';

export interface TurnJournalPorts {
  readonly run: RunContext;
  readonly process: AgentProcess;
  readonly ids: CallIds;
  /** The number of the first message. */
  readonly firstStep: number;
  readonly now: () => number;
  readonly model: string | undefined;
}

const TEXT_CHARS = 1_000_000;
const ID_CHARS = 20;

/**
 * Derives the ids of calls from their descriptions. A run that a restart interrupted during a question finds the answer when
 * the agent repeats the call. A call that was already started gets a new id and a new question.
 */
export class CallIds {
  readonly #used = new Set<string>();

  constructor(
    private readonly runId: string,
    { entries, started }: Pick<Transcript, 'entries' | 'started'>,
  ) {
    for (const callId of started) this.#used.add(callId);
    for (const entry of entries) {
      if (entry.type === 'tool_result' && entry.runId === runId) this.#used.add(entry.callId);
    }
  }

  /** `hash` covers the whole description of the call. */
  next(tool: string, hash: string): string {
    const key = JSON.stringify([this.runId, tool, hash]);
    const base = createHash('sha256').update(key).digest('hex').slice(0, ID_CHARS);
    for (let count = 0; ; count++) {
      const id = `acp_${base}_${String(count)}`;
      if (this.#used.has(id)) continue;
      this.#used.add(id);
      return id;
    }
  }
}

/** Journals a turn: a message before its calls, a call before its result. */
export class TurnJournal {
  /** The latest call for each id of the program. */
  readonly #calls = new Map<string, ToolCall>();
  /** Unfinished calls whose id the program used again. */
  readonly #earlier: ToolCall[] = [];
  #text = '';
  /** Removes secrets from shown text, also those that are split between two pieces. */
  readonly #scrubber: StreamScrubber;
  /** The shown text of this step. */
  #shown = '';
  #step: number;
  #hasNotice = false;

  constructor(private readonly ports: TurnJournalPorts) {
    this.#step = ports.firstStep;
    this.#scrubber = new StreamScrubber(() => ports.process.secrets);
  }

  /** Calls that began, or may have begun: not those that wait for a decision. */
  get begun(): readonly ToolCall[] {
    return this.#all.filter(({ isStarted, isAsked, status }) =>
      isStarted ? true : !isAsked && status !== 'pending',
    );
  }

  /** Whether there is no text since the last call. */
  get isSilent(): boolean {
    return this.#text.trim() === '';
  }

  get hasOpenCalls(): boolean {
    return this.#all.some(({ isSettled }) => !isSettled);
  }

  /** Journals the rest of the turn. Returns the text after the last call. */
  async finish(finishReason: string, usage: UsageReport | undefined): Promise<string> {
    await this.announce();
    const answer = this.ports.process.scrub(this.#text);
    await this.#message([], finishReason);
    for (const call of this.#all) await this.#settleUnknown(call);
    await this.reportUsage(usage);
    return answer;
  }

  /** Journals the text so far of a turn that failed. */
  async abort(): Promise<void> {
    await this.#message([], 'error');
  }

  /** Shows a notice after the text until more text arrives; it is not journaled. */
  showNotice(text: string): void {
    this.#hideNotice();
    this.#hasNotice = true;
    this.ports.run.showText(this.#step, this.#shown === '' ? text : `\n${text}`);
  }

  #hideNotice(): void {
    if (!this.#hasNotice) return;
    this.#hasNotice = false;
    this.ports.run.withdrawText(this.#step);
    if (this.#shown !== '') this.ports.run.showText(this.#step, this.#shown);
  }

  addText(text: string): void {
    this.#hideNotice();
    const room = TEXT_CHARS - this.#text.length;
    if (room <= 0) return;
    const added = text.slice(0, room);
    this.#text += added;
    this.#showText(this.#scrubber.add(added));
  }

  #showText(text: string): void {
    if (text === '') return;
    this.#shown += text;
    this.ports.run.showText(this.#step, text);
  }

  callOf(report: ToolCallReport): ToolCall {
    const known = this.#calls.get(report.toolCallId);
    // A report of a settled call with the status pending begins another call.
    if (known && !(known.isSettled && report.status === 'pending')) {
      known.add(report);
      return known;
    }
    const call = new ToolCall(report);
    this.#calls.set(report.toolCallId, call);
    return call;
  }

  /** The call of a request for permission. A second request with the same id is another call. */
  callToDecide(report: ToolCallReport): ToolCall {
    const known = this.#calls.get(report.toolCallId);
    if (!known?.isAsked && !known?.isSettled) return this.callOf(report);
    if (!known.isSettled) this.#earlier.push(known);
    const call = known.repeated(report);
    this.#calls.set(report.toolCallId, call);
    return call;
  }

  get #all(): ToolCall[] {
    return [...this.#earlier, ...this.#calls.values()];
  }

  /** Journals a message with all forming calls, and gives them their ids. */
  async announce(): Promise<void> {
    const forming = this.#all.filter(({ callId }) => callId === undefined);
    if (forming.length === 0) return;
    const parts = forming.map((call): AssistantPart => {
      const input = boundedInput(scrubJson(this.ports.process.scrub, call.input));
      const callId = this.ports.ids.next(call.tool, call.hash);
      call.announce(callId);
      return { type: 'tool_call', callId, tool: call.tool, input };
    });
    await this.#message(parts, 'tool-calls');
  }

  async #message(calls: readonly AssistantPart[], finishReason: string): Promise<void> {
    this.#hideNotice();
    const { run, process, model } = this.ports;
    const text = process.scrub(this.#text);
    this.#showText(this.#scrubber.end());
    const parts: AssistantPart[] = text === '' ? [...calls] : [{ type: 'text', text }, ...calls];
    if (parts.length === 0) return;
    const step = this.#step;
    this.#step += 1;
    this.#text = '';
    this.#shown = '';
    const by = model === undefined ? {} : { model };
    const provider = process.program.name;
    await run.journal.modelMessage({ step, parts, provider, finishReason, ...by });
  }

  /** Journals a call that has ended. It did not begin if its question was not answered. */
  async end(call: ToolCall): Promise<void> {
    await this.announce();
    if (call.isSettled) return;
    const isUnanswered = call.isAsked && !call.isStarted && call.status === 'failed';
    if (!isUnanswered) await this.start(call);
    await this.settle(call, call.outcome, call.outputFor(this.ports.process.scrub));
  }

  async start(call: ToolCall, approvalId?: string): Promise<void> {
    const { callId } = call;
    if (call.isStarted || call.isSettled || callId === undefined) return;
    call.isStarted = true;
    call.startedAt = this.ports.now();
    const { scrub } = this.ports.process;
    const { tool, kind } = call;
    const title = scrub(call.title);
    const input = boundedInput(scrubJson(scrub, call.input));
    await this.ports.run.journal.toolCall({
      callId,
      tool,
      kind,
      title,
      input,
      inputHash: call.hash,
      ...(approvalId === undefined ? {} : { approvalId }),
    });
  }

  async settle(call: ToolCall, outcome: ToolOutcome, output: string): Promise<void> {
    const { callId, tool } = call;
    if (call.isSettled || callId === undefined) return;
    call.isSettled = true;
    const duration = call.isStarted
      ? { durationMs: Math.round(this.ports.now() - call.startedAt) }
      : {};
    await this.ports.run.journal.toolResult({ callId, tool, outcome, output, ...duration });
  }

  /** For a call that the program did not finish before the end of its turn. */
  async #settleUnknown(call: ToolCall): Promise<void> {
    if (call.isSettled) return;
    await this.start(call);
    await this.settle(call, 'unknown', 'The agent did not report the result of this call.');
  }

  async reportUsage(usage: UsageReport | undefined): Promise<void> {
    if (!usage) return;
    const { model, process } = this.ports;
    const by = { provider: process.program.name, ...(model === undefined ? {} : { model }) };
    await this.ports.run.journal.usage(toUsage(usage), by);
  }
}

/**
 * The usage of a step. Some programs include cached tokens in the input and some do not; the total shows which. The cost is
 * unknown, because the prices are.
 */
function toUsage(reported: UsageReport): Usage {
  const { inputTokens, outputTokens, totalTokens, cachedReadTokens } = reported;
  const input = Math.max(inputTokens, totalTokens - outputTokens);
  return {
    modelCalls: 1,
    inputTokens: input,
    cachedInputTokens: Math.min(cachedReadTokens, input),
    outputTokens,
  };
}
