import type { RunContext } from '@stoa/core';
import type { AssistantPart, ToolOutcome, Usage } from '@stoa/protocol';
import { StreamScrubber, scrubJson } from '../builtin/scrub.js';
import type { AgentProcess } from './agent-process.js';
import type { CallIds } from './call-ids.js';
import type { ToolCallReport, UsageReport } from './session-updates.js';
import { boundedInput, ToolCall } from './tool-call.js';

export interface TurnJournalPorts {
  readonly run: RunContext;
  readonly process: AgentProcess;
  readonly ids: CallIds;
  /** The number of its first message. */
  readonly firstStep: number;
  readonly now: () => number;
  readonly model: string | undefined;
}

const TEXT_CHARS = 1_000_000;

/** What a turn writes down: a message before its calls, a call before its result. */
export class TurnJournal {
  /** The last of each id of the program. */
  readonly #calls = new Map<string, ToolCall>();
  /** Those whose id was used again before anything came of them. */
  readonly #earlier: ToolCall[] = [];
  #text = '';
  /** What is shown while it is said, in pieces that may divide a secret. */
  readonly #shown: StreamScrubber;
  /** What people see of the text of this step. */
  #visible = '';
  #step: number;
  #hasNotice = false;

  constructor(private readonly ports: TurnJournalPorts) {
    this.#step = ports.firstStep;
    this.#shown = new StreamScrubber(() => ports.process.secrets);
  }

  /** Calls that began, or may have: what was asked about and not answered yet has not. */
  get begun(): readonly ToolCall[] {
    return this.#all.filter(({ isStarted, isAsked, status }) =>
      isStarted ? true : !isAsked && status !== 'pending',
    );
  }

  /** Whether nothing was said since the last call. */
  get isSilent(): boolean {
    return this.#text.trim() === '';
  }

  get hasOpenCalls(): boolean {
    return this.#all.some(({ isSettled }) => !isSettled);
  }

  /** Writes down what is left, and tells what was said after the last call. */
  async finish(finishReason: string, usage: UsageReport | undefined): Promise<string> {
    await this.announce();
    const said = this.ports.process.scrub(this.#text);
    await this.#message([], finishReason);
    for (const call of this.#all) await this.#leave(call);
    await this.report(usage);
    return said;
  }

  /** It goes no further: what was said so far is kept. */
  async breakOff(): Promise<void> {
    await this.#message([], 'error');
  }

  /** Shown in place of text that has not come yet, behind what has; it is not kept. */
  showNotice(text: string): void {
    this.#hideNotice();
    this.#hasNotice = true;
    this.ports.run.showText(this.#step, this.#visible === '' ? text : `\n${text}`);
  }

  #hideNotice(): void {
    if (!this.#hasNotice) return;
    this.#hasNotice = false;
    this.ports.run.withdrawText(this.#step);
    if (this.#visible !== '') this.ports.run.showText(this.#step, this.#visible);
  }

  show(text: string): void {
    this.#hideNotice();
    const room = TEXT_CHARS - this.#text.length;
    if (room <= 0) return;
    const shown = text.slice(0, room);
    this.#text += shown;
    this.#showText(this.#shown.add(shown));
  }

  #showText(text: string): void {
    if (text === '') return;
    this.#visible += text;
    this.ports.run.showText(this.#step, text);
  }

  callOf(report: ToolCallReport): ToolCall {
    const known = this.#calls.get(report.toolCallId);
    // A settled one that is heard of again under its id is another call.
    if (known && !(known.isSettled && report.status === 'pending')) {
      known.add(report);
      return known;
    }
    const call = new ToolCall(report);
    this.#calls.set(report.toolCallId, call);
    return call;
  }

  /**
   * The call that permission is asked for. One answer is for one call: what was asked about, or is over,
   * and is asked about again is another call.
   */
  callToAsk(report: ToolCallReport): ToolCall {
    const known = this.#calls.get(report.toolCallId);
    if (!known?.isAsked && !known?.isSettled) return this.callOf(report);
    if (!known.isSettled) this.#earlier.push(known);
    const call = known.again(report);
    this.#calls.set(report.toolCallId, call);
    return call;
  }

  get #all(): ToolCall[] {
    return [...this.#earlier, ...this.#calls.values()];
  }

  /** A message with all calls that are forming: each gets its id from its input, as it is now. */
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
    this.#showText(this.#shown.end());
    const parts: AssistantPart[] = text === '' ? [...calls] : [{ type: 'text', text }, ...calls];
    if (parts.length === 0) return;
    const step = this.#step;
    this.#step += 1;
    this.#text = '';
    this.#visible = '';
    const by = model === undefined ? {} : { model };
    const provider = process.program.name;
    await run.journal.modelMessage({ step, parts, provider, finishReason, ...by });
  }

  /** It is over. One that was asked about and not answered did not begin. */
  async follow(call: ToolCall): Promise<void> {
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
    const took = call.isStarted
      ? { durationMs: Math.round(this.ports.now() - call.startedAt) }
      : {};
    await this.ports.run.journal.toolResult({ callId, tool, outcome, output, ...took });
  }

  /** The program ended its turn and never said what came of this call. */
  async #leave(call: ToolCall): Promise<void> {
    if (call.isSettled) return;
    await this.start(call);
    await this.settle(call, 'unknown', 'The agent did not report what came of this call.');
  }

  async report(usage: UsageReport | undefined): Promise<void> {
    if (!usage) return;
    const { model, process } = this.ports;
    const by = { provider: process.program.name, ...(model === undefined ? {} : { model }) };
    await this.ports.run.journal.usage(usageOf(usage), by);
  }
}

/**
 * What a program says a step took. Some count what came from a cache as input and some beside it; the
 * total tells which. It has no cost: whose prices hold is not known here.
 */
function usageOf(reported: UsageReport): Usage {
  const { inputTokens, outputTokens, totalTokens, cachedReadTokens } = reported;
  const input = Math.max(inputTokens, totalTokens - outputTokens);
  return {
    modelCalls: 1,
    inputTokens: input,
    cachedInputTokens: Math.min(cachedReadTokens, input),
    outputTokens,
  };
}
