import type { DriverEnd, RunContext, Transcript } from '@stoa/core';
import type { AssistantPart } from '@stoa/protocol';
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
  readonly tokenRatios: Map<string, number>;
}

const MAX_STEPS = 50;
/** The part of the context from which on it is compacted, and what then stays of it. */
const COMPACT_AT = 0.8;
const KEEP = 0.3;
const KEEP_WHEN_REFUSED = 0.1;
const COMPACTIONS_PER_STEP = 2;
/** No tokenizer is that far from the estimate: the count is of something else. */
const RATIO_LIMIT = 4;
/** An empty answer with one of these was not the model's choice to say nothing. */
const CUT_SHORT: ReadonlySet<string> = new Set(['length', 'content-filter', 'error']);
/** What is said with it becomes public. */
const SPEAK_TOOL = 'emit_output';
/** Calling it well means: there is nothing to say. */
const PASS_TOOL = 'pass_turn';

/**
 * One run of the agent:
 *
 *   finish what was asked for ──▶ ask the model ──calls──▶ run them ──▶ take what was injected ─┐
 *                                     ▲  └──no calls──▶ take what was injected ──none──▶ done     │
 *                                     └────────────────────────some────────────────┴───────────┘
 *
 * The journal is the only memory: every step begins by reading it, so a run that was cut off goes on
 * exactly where it stands. What the model says is journaled before any of it is done.
 */
export class AgentLoop {
  readonly #system: string;
  readonly #isChannelTurn: boolean;
  readonly #maxSteps: number;
  #tools: readonly ToolDescription[] = [];
  /** Those that were used; a compaction does not make them free. */
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
    const ended = await this.#takeUp(await this.run.transcript());
    if (ended) return ended;
    for (; ; this.#step++) {
      this.run.signal.throwIfAborted();
      const transcript = await this.run.transcript();
      const stuck = this.#stuck(transcript);
      if (stuck) return stuck;
      const parts = await this.#speak(transcript);
      const calls = parts.filter((part) => part.type === 'tool_call');
      if (calls.length === 0) {
        if ((await this.run.journal.takeInjected()).length > 0) continue;
        return said(parts);
      }
      if (await this.#callAll(calls)) return PASSED;
      await this.run.journal.takeInjected();
    }
  }

  /** Where a run stands that was cut off: its last step is finished first. */
  async #takeUp({ entries, pending }: Transcript): Promise<DriverEnd | undefined> {
    const own = entries.filter((entry) => 'runId' in entry && entry.runId === this.run.runId);
    const spoken = own.findLast((entry) => entry.type === 'assistant');
    if (!spoken) return undefined;
    this.#step = spoken.step + 1;
    if (pending.length > 0 && (await this.#callAll(pending))) return PASSED;
    const since = own.slice(own.indexOf(spoken) + 1);
    const hasPassed = since.some(
      (entry) => entry.type === 'tool_result' && entry.tool === PASS_TOOL && entry.outcome === 'ok',
    );
    if (hasPassed) return PASSED;
    const injected = await this.run.journal.takeInjected();
    const isLast = !spoken.parts.some(({ type }) => type === 'tool_call');
    const isAsked = injected.length > 0 || since.some(({ type }) => type === 'input');
    return isLast && !isAsked ? said(spoken.parts) : undefined;
  }

  #stuck({ entries }: Transcript): DriverEnd | undefined {
    if (this.#step >= this.#maxSteps) {
      const message = `The agent took ${String(this.#maxSteps)} steps and was not done. \`maxSteps\` of its driver allows more.`;
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

  async #speak(transcript: Transcript): Promise<readonly AssistantPart[]> {
    for (const callId of callIdsOf(transcript.entries)) this.#callIds.add(callId);
    const { answer, request } = await this.#answer(transcript);
    const { client, price } = this.model;
    this.#learn(request, answer);
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

  /** Asks, and makes room first where that is needed. */
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
        // What it takes is less than was thought.
        const taken = Math.min(contextTokens, this.#tokens(request));
        if (!(await this.#compact(request, taken, KEEP_WHEN_REFUSED))) throw error;
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
    const count = async ({ usage }: ModelFailure): Promise<void> => {
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
      heard: () => {
        run.active();
      },
      text: (text: string) => {
        if (isShown) run.showText(step, text);
      },
      ...(showOutput && { callInput: showOutput }),
      again: async (failure: ModelFailure, waitMs: number) => {
        if (isShown) run.withdrawText(step);
        if (isShown) run.withdrawOutput();
        await count(failure);
        const wait = `asked again in ${(waitMs / 1_000).toFixed(1)} s`;
        await run.journal.note('model_retry', `${failure.message} (${failure.code}); ${wait}`);
      },
    };
    const hasEmitted = isShown && (await run.journal.emitted()) !== undefined;
    const mayBeEmpty = ({ finishReason }: ModelAnswer): boolean =>
      !isShown || hasEmitted || (this.#isChannelTurn && !CUT_SHORT.has(finishReason));
    try {
      return await askModel(ports, model.client, request, listener, {
        signal: run.signal,
        mayBeEmpty,
      });
    } catch (error) {
      if (error instanceof ModelFailure) await count(error);
      throw error;
    }
  }

  async #callAll(calls: readonly RequestedCall[]): Promise<boolean> {
    const results = await this.ports.tools.callAll(
      this.run,
      calls.map(({ callId, tool, input }) => ({ callId, tool, input })),
    );
    // What was emitted is known by now; the rest came to nothing.
    this.run.withdrawOutput();
    return results.some(({ endsTurn }) => endsTurn === true);
  }

  /** Shows what it is about to say in a channel, unless people are to approve that first. */
  async #outputShower() {
    const { run, ports } = this;
    if (!this.#isChannelTurn) return undefined;
    if (!(await ports.tools.runsUnasked(run, SPEAK_TOOL))) return undefined;
    const fields = new Map<string, StreamedField>();
    return (callId: string, tool: string, piece: string): void => {
      if (tool !== SPEAK_TOOL) return;
      const field = fields.get(callId) ?? new StreamedField('content');
      fields.set(callId, field);
      const text = field.add(piece);
      if (text !== '') run.showOutput(callId, text);
    };
  }

  /** By the provider's own count of the last request, where it gave one. */
  #tokens(request: ModelRequest): number {
    const ratio = this.ports.tokenRatios.get(this.run.session.sessionId) ?? 1;
    return estimateRequest(request) * ratio;
  }

  #learn(request: ModelRequest, { usage }: ModelAnswer): void {
    if (usage.input === undefined || usage.input === 0) return;
    const ratio = usage.input / estimateRequest(request);
    const believed = Math.min(Math.max(ratio, 1 / RATIO_LIMIT), RATIO_LIMIT);
    this.ports.tokenRatios.set(this.run.session.sessionId, believed);
  }
}

/** It has nothing to say, or has said it. */
const PASSED: DriverEnd = { type: 'completed', output: [] };

function said(parts: readonly AssistantPart[]): DriverEnd {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { type: 'completed', output: textOutput(text) };
}

function failed(code: string, message: string): DriverEnd {
  return { type: 'failed', failure: { phase: 'agent', code, message } };
}
