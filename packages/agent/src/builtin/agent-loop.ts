import type { DriverEnd, RunContext, Transcript } from '@stoa/core';
import { type AssistantPart, textOf } from '@stoa/protocol';
import type { CallTools, RequestedCall, ToolDescription } from '../call-tools.js';
import { deliverItems } from '../deliver-items.js';
import { textOutput } from '../text-output.js';
import { type AskPorts, askModel } from './ask-model.js';
import { compact } from './compact.js';
import { conversationOf } from './conversation.js';
import { estimateRequest } from './estimate-tokens.js';
import { failingStreaks, STREAK_FAILS } from './failing-streaks.js';
import type { ModelAnswer, ModelRequest } from './model-client.js';
import { ModelFailure } from './model-failure.js';
import type { ChosenModel } from './models.js';
import { StreamedField } from './streamed-field.js';
import { systemPrompt } from './system-prompt.js';
import { callIdsOf, uniqueCalls } from './unique-calls.js';
import { usageOf } from './usage-of.js';

export interface LoopPorts extends AskPorts {
  readonly tools: CallTools;
  /** Tokens that the provider counted for one estimated token, by session. */
  readonly tokenRatios: Map<string, number>;
}

const MAX_STEPS = 50;
/** The part of the context at which it is compacted, and the part that remains. */
const COMPACT_AT = 0.8;
const KEEP = 0.3;
const KEEP_WHEN_REFUSED = 0.1;
const COMPACTIONS_PER_STEP = 2;
/** A larger difference from the estimate is not plausible. */
const RATIO_LIMIT = 4;
/** With these finish reasons the model did not choose to answer nothing. */
const INCOMPLETE: ReadonlySet<string> = new Set(['length', 'content-filter', 'error']);
/** Publishes its text in the channel. */
const EMIT_TOOL = 'emit_output';
/** Ends the turn without an answer. */
const PASS_TOOL = 'pass_turn';

/**
 * One run of the agent:
 *
 *   finish pending calls ──▶ ask the model ──calls──▶ run them ──▶ take injected items ─────────┐
 *                                ▲  └──no calls──▶ take injected items ──none──▶ done         │
 *                                └────────────────────some────────────┴───────────────────────┘
 *
 * Every step begins with the journal, so an interrupted run continues exactly where it was. An answer is journaled before
 * its calls run.
 */
export class AgentLoop {
  readonly #system: string;
  readonly #isChannelTurn: boolean;
  readonly #maxSteps: number;
  #tools: readonly ToolDescription[] = [];
  /** Used ids, also those that a compaction removed from the transcript. */
  readonly #callIds = new Set<string>();
  #step = 0;
  #isDelivered = false;

  constructor(
    private readonly ports: LoopPorts,
    private readonly run: RunContext,
    private readonly model: ChosenModel,
    maxSteps: number | undefined,
  ) {
    this.#isChannelTurn = run.kind === 'channel_delivery';
    this.#system = systemPrompt(run.session, this.#isChannelTurn ? 'channel' : 'who_asked');
    this.#maxSteps = maxSteps ?? MAX_STEPS;
    this.#isDelivered = run.items.length === 0;
  }

  async go(): Promise<DriverEnd> {
    this.#tools = await this.ports.tools.describe(this.run);
    const ended = await this.#resume(await this.run.transcript());
    if (ended) return ended;
    for (; ; this.#step++) {
      this.run.signal.throwIfAborted();
      const transcript = await this.run.transcript();
      const stuck = this.#stuckFailure(transcript);
      if (stuck) return stuck;
      const parts = await this.#answerStep(transcript);
      const calls = parts.filter((part) => part.type === 'tool_call');
      if (calls.length === 0) {
        if ((await this.run.journal.takeInjected()).length > 0) continue;
        return completed(parts);
      }
      if (await this.#callAll(calls)) return PASSED;
      await this.run.journal.takeInjected();
    }
  }

  /** Finishes the last step of an interrupted run. */
  async #resume({ entries, pending }: Transcript): Promise<DriverEnd | undefined> {
    const own = entries.filter((entry) => 'runId' in entry && entry.runId === this.run.runId);
    const lastAnswer = own.findLast((entry) => entry.type === 'assistant');
    if (!lastAnswer) return undefined;
    this.#step = lastAnswer.step + 1;
    if (pending.length > 0 && (await this.#callAll(pending))) return PASSED;
    const since = own.slice(own.indexOf(lastAnswer) + 1);
    const hasPassed = since.some(
      (entry) => entry.type === 'tool_result' && entry.tool === PASS_TOOL && entry.outcome === 'ok',
    );
    if (hasPassed) return PASSED;
    const injected = await this.run.journal.takeInjected();
    const hasNoCalls = !lastAnswer.parts.some(({ type }) => type === 'tool_call');
    const hasInput = injected.length > 0 || since.some(({ type }) => type === 'input');
    return hasNoCalls && !hasInput ? completed(lastAnswer.parts) : undefined;
  }

  #stuckFailure({ entries }: Transcript): DriverEnd | undefined {
    if (this.#step >= this.#maxSteps) {
      const message = `The agent did not finish within ${String(this.#maxSteps)} steps. Raise \`maxSteps\` of its driver to allow more.`;
      return failed('too_many_steps', message);
    }
    const last = entries.findLast((entry) => entry.type === 'tool_result');
    if (last?.runId !== this.run.runId) return undefined;
    const streak = failingStreaks(entries).get(last.callId) ?? 0;
    if (streak < STREAK_FAILS) return undefined;
    return failed(
      'tool_loop',
      `The agent made the same failing call of ${last.tool} ${String(streak)} times in a row.`,
    );
  }

  async #answerStep(transcript: Transcript): Promise<readonly AssistantPart[]> {
    for (const callId of callIdsOf(transcript.entries)) this.#callIds.add(callId);
    const { answer, request } = await this.#answer(transcript);
    const { client, price } = this.model;
    this.#correctEstimate(request, answer);
    const parts = uniqueCalls(
      answer.parts,
      this.#callIds,
      `${this.run.runId}_${String(this.#step)}`,
    );
    await this.run.journal.modelMessage({
      step: this.#step,
      parts,
      provider: client.provider,
      model: client.model,
      finishReason: answer.finishReason,
      usage: usageOf(answer.usage, price),
    });
    return parts;
  }

  /** Asks the model, and compacts the context if necessary. */
  async #answer(transcript: Transcript): Promise<{ answer: ModelAnswer; request: ModelRequest }> {
    let request = await this.#request(transcript);
    let compactions = 0;
    const { contextTokens } = this.model;
    if (this.#tokens(request) > contextTokens * COMPACT_AT) {
      compactions += 1;
      if (await this.#compact(request, contextTokens, KEEP))
        request = await this.#request(await this.run.transcript());
    }
    for (;;) {
      try {
        return { answer: await this.#ask(request, { isShown: true }), request };
      } catch (error) {
        const isTooLong = error instanceof ModelFailure && error.code === 'model_context_exceeded';
        if (!isTooLong || ++compactions > COMPACTIONS_PER_STEP) throw error;
        // The real limit is lower than the configured one.
        const limit = Math.min(contextTokens, this.#tokens(request));
        if (!(await this.#compact(request, limit, KEEP_WHEN_REFUSED))) throw error;
        request = await this.#request(await this.run.transcript());
      }
    }
  }

  async #request({ entries }: Transcript): Promise<ModelRequest> {
    const { takesImages, maxOutputTokens } = this.model;
    const undelivered = this.#isDelivered ? [] : this.run.items;
    return {
      system: this.#system,
      tools: this.#tools,
      messages: await conversationOf(entries, undelivered, {
        findAsset: this.run.assets.find,
        takesImages,
      }),
      maxOutputTokens,
    };
  }

  async #compact(request: ModelRequest, contextTokens: number, keep: number): Promise<boolean> {
    const { client, price, maxOutputTokens } = this.model;
    return compact(this.run, {
      system: this.#system,
      maxOutputTokens,
      keepTokens: contextTokens * keep,
      limitTokens: contextTokens / 2,
      tokensBefore: Math.round(this.#tokens(request)),
      ask: async (asked) => {
        const answer = await this.#ask(asked, { isShown: false });
        const { provider, model } = client;
        await this.run.journal.usage(usageOf(answer.usage, price), { provider, model });
        return answer;
      },
    });
  }

  async #ask(request: ModelRequest, { isShown }: { isShown: boolean }): Promise<ModelAnswer> {
    const { run, model, ports } = this;
    const step = this.#step;
    const recordUsage = async ({ usage }: ModelFailure): Promise<void> => {
      if (!usage) return;
      const { provider, model: name } = model.client;
      await run.journal.usage(usageOf(usage, model.price), { provider, model: name });
    };
    const showOutput = isShown ? await this.#outputShower() : undefined;
    const listener = {
      begun: async () => {
        if (this.#isDelivered || !isShown) return;
        await deliverItems(run);
        this.#isDelivered = true;
      },
      received: () => {
        run.active();
      },
      text: (text: string) => {
        if (isShown) run.showText(step, text);
      },
      ...(showOutput && { callInput: showOutput }),
      retrying: async (failure: ModelFailure, waitMs: number) => {
        if (isShown) run.withdrawText(step);
        if (isShown) run.withdrawOutput();
        await recordUsage(failure);
        const wait = `retry in ${(waitMs / 1_000).toFixed(1)} s`;
        await run.journal.note('model_retry', `${failure.message} (${failure.code}); ${wait}`);
      },
    };
    const hasEmitted = isShown && (await run.journal.emitted()) !== undefined;
    const mayBeEmpty = ({ finishReason }: ModelAnswer): boolean =>
      !isShown || hasEmitted || (this.#isChannelTurn && !INCOMPLETE.has(finishReason));
    try {
      return await askModel(ports, model.client, request, listener, {
        signal: run.signal,
        mayBeEmpty,
      });
    } catch (error) {
      if (error instanceof ModelFailure) await recordUsage(error);
      throw error;
    }
  }

  async #callAll(calls: readonly RequestedCall[]): Promise<boolean> {
    const results = await this.ports.tools.callAll(
      this.run,
      calls.map(({ callId, tool, input }) => ({ callId, tool, input })),
    );
    // By now the output is emitted, or its call has failed.
    this.run.withdrawOutput();
    return results.some(({ endsTurn }) => endsTurn === true);
  }

  /** Shows the output for a channel while it is written, unless it needs an approval. */
  async #outputShower() {
    const { run, ports } = this;
    if (!this.#isChannelTurn) return undefined;
    if (!(await ports.tools.runsWithoutApproval(run, EMIT_TOOL))) return undefined;
    const fields = new Map<string, StreamedField>();
    return (callId: string, tool: string, piece: string): void => {
      if (tool !== EMIT_TOOL) return;
      const field = fields.get(callId) ?? new StreamedField('content');
      fields.set(callId, field);
      const text = field.add(piece);
      if (text !== '') run.showOutput(callId, text);
    };
  }

  /** Corrects the estimate by the provider's count of the last request. */
  #tokens(request: ModelRequest): number {
    const ratio = this.ports.tokenRatios.get(this.run.session.sessionId) ?? 1;
    return estimateRequest(request) * ratio;
  }

  #correctEstimate(request: ModelRequest, { usage }: ModelAnswer): void {
    if (usage.input === undefined || usage.input === 0) return;
    const ratio = usage.input / estimateRequest(request);
    const plausible = Math.min(Math.max(ratio, 1 / RATIO_LIMIT), RATIO_LIMIT);
    this.ports.tokenRatios.set(this.run.session.sessionId, plausible);
  }
}

const PASSED: DriverEnd = { type: 'completed', output: [] };

function completed(parts: readonly AssistantPart[]): DriverEnd {
  return { type: 'completed', output: textOutput(textOf(parts, '')) };
}

function failed(code: string, message: string): DriverEnd {
  return { type: 'failed', failure: { phase: 'agent', code, message } };
}
