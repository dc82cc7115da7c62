import type { DriverEnd, RunContext, Timers, TranscriptEntry } from '@stoa/core';
import {
  type AssistantPart,
  type DriverConfig,
  type DriverConfigOf,
  SCRIPT_DRIVER,
  StoaError,
} from '@stoa/protocol';
import type { AgentDriver } from '../agent-driver.js';
import type { CallResult, CallTools, RequestedCall } from '../call-tools.js';
import { deliverItems } from '../deliver-items.js';
import { pause } from '../pause.js';
import { textOutput } from '../text-output.js';
import {
  askedOf,
  BudgetSpent,
  type Chosen,
  chooseTurn,
  inputText,
  joinAsked,
  StepBudget,
} from './choose-turn.js';
import { parseScript, type Script, type Step } from './parse-script.js';
import { fill, fillJson, type Scope } from './placeholders.js';

export interface ScriptDriverPorts {
  readonly tools: CallTools;
  readonly timers: Timers;
  /** Reads a script file inside a workspace; throws `invalid_agent` if that fails. */
  readonly readScript: (workspace: string, file: string) => Promise<string>;
}

/**
 * Plays scripts. Its journal is like that of an agent with a model: a message before its calls, the calls through the tools. An
 * interrupted run continues after its last message; a call that was started is never repeated.
 */
export class ScriptDriver implements AgentDriver {
  readonly kind = SCRIPT_DRIVER.kind;
  readonly capabilities = SCRIPT_DRIVER.capabilities;

  /** A cache by source and text: most runs play the same script as the one before. */
  readonly #parsed = new Map<string, Script>();

  constructor(private readonly ports: ScriptDriverPorts) {}

  async execute(run: RunContext): Promise<DriverEnd> {
    let script: Script;
    try {
      const { persona, workspace } = run.session;
      script = await this.#scriptOf(persona.definition.driver, workspace);
    } catch (error) {
      if (!(error instanceof StoaError)) throw error;
      return failed('start', error.code, error.message);
    }
    await deliverItems(run);
    const { entries, pending } = await run.transcript();
    const asked = askedOf(entries);
    const now = asked.get(run.runId) ?? joinAsked(run.items);
    const before = [...asked].filter(([runId]) => runId !== run.runId).map(([, past]) => past);
    let chosen: Chosen | undefined;
    try {
      chosen = chooseTurn(script, before, now, new StepBudget());
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
      return failed('agent', 'script_too_slow', error.message);
    }
    if (!chosen) {
      const message = `The script has no turn for input number ${String(before.length + 1)}`;
      return failed('agent', 'script_no_turn', message);
    }
    const player = new TurnPlayer(this.ports, run, chosen, {
      input: now.text,
      from: now.from,
      agent: run.session.agentName,
      message: now.channel?.messageId ?? '',
      'last.message': now.channel?.last.messageId ?? '',
      'last.from': now.channel?.last.from ?? '',
      'last.text': now.channel?.last.text ?? '',
    });
    return (await player.resume(entries, pending)) ?? player.play();
  }

  forget(): void {
    // All state is in the journal.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async assertSound(driver: DriverConfig, workspace?: string): Promise<void> {
    const { file, script } = configOf(driver);
    const needsWorkspace = script === undefined && file !== undefined;
    if (workspace !== undefined || !needsWorkspace) await this.#scriptOf(driver, workspace ?? '');
  }

  lackOf(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async #scriptOf(driver: DriverConfig, workspace: string): Promise<Script> {
    const { file, script } = configOf(driver);
    if (script !== undefined) return this.#parse(script, 'script');
    if (file === undefined) {
      throw new StoaError('invalid_agent', 'driver: one of file and script is needed');
    }
    return this.#parse(await this.ports.readScript(workspace, file), file);
  }

  #parse(text: string, source: string): Script {
    const key = `${source}\n${text}`;
    const known = this.#parsed.get(key);
    if (known) return known;
    const script = parseScript(text, source);
    if (this.#parsed.size >= PARSED_SCRIPTS) this.#parsed.clear();
    this.#parsed.set(key, script);
    return script;
  }
}

const PARSED_SCRIPTS = 100;

function configOf(driver: DriverConfig): DriverConfigOf<'script'> {
  if (driver.kind === SCRIPT_DRIVER.kind) return driver;
  throw new StoaError('invalid_agent', 'Its driver is not script');
}

/** Plays one turn. */
class TurnPlayer {
  readonly #results = new Map<string, { output: string; outcome: string }>();
  #last = { output: '', outcome: '' };
  #injected: string[] = [];
  /** The texts since the last call, which become the output. */
  #texts: string[] = [];
  #messages = 0;
  #next = 0;

  constructor(
    private readonly ports: ScriptDriverPorts,
    private readonly run: RunContext,
    private readonly turn: Chosen,
    /** Placeholders that do not change during the turn. */
    private readonly facts: Readonly<Record<string, string>>,
  ) {}

  /** Restores the state of an interrupted run from the journal, and finishes its last step. */
  async resume(
    entries: readonly TranscriptEntry[],
    pending: readonly RequestedCall[],
  ): Promise<DriverEnd | undefined> {
    let at: number | undefined;
    for (const entry of entries) {
      if (!('runId' in entry) || entry.runId !== this.run.runId) continue;
      if (entry.type === 'assistant') {
        at = stepOf(entry.parts) ?? at;
        this.#recordMessage(entry.step, entry.parts);
      } else if (entry.type === 'tool_result') this.#recordResult(entry);
      else if (entry.type === 'input' && at !== undefined)
        this.#injected.push(inputText(entry.input.inputItems));
    }
    const step = at === undefined ? undefined : this.turn.steps[at];
    if (at === undefined || !step) return undefined;
    this.#next = at + 1;
    return this.#act(step, pending);
  }

  async play(): Promise<DriverEnd> {
    for (const step of this.turn.steps.slice(this.#next)) {
      const index = this.#next++;
      if (step.waitMs > 0) await pause(this.ports.timers, step.waitMs, this.run.signal);
      this.run.signal.throwIfAborted();
      const hasMessage = step.say !== undefined || step.calls.length > 0;
      const end = await this.#act(step, hasMessage ? await this.#sendMessage(step, index) : []);
      if (end) return end;
    }
    return { type: 'completed', output: textOutput(this.#texts.join('\n\n')) };
  }

  /** Performs the actions of a step after its message. */
  async #act(step: Step, calls: readonly RequestedCall[]): Promise<DriverEnd | undefined> {
    const endsTurn = calls.length > 0 && (await this.#callAll(calls));
    if (endsTurn) return PASSED;
    if (step.calls.length > 0) await this.#takeInjected();
    await this.#emit(step);
    const { fail } = step;
    if (fail) return failed('agent', fail.code, fill(fail.message, this.#scope(step)));
    return step.passes ? PASSED : undefined;
  }

  async #sendMessage(step: Step, index: number): Promise<RequestedCall[]> {
    const { run } = this;
    const scope = this.#scope(step);
    const number = this.#messages;
    // Stored with the message, so that an interrupted run continues after this step.
    const provider = { scriptStep: index };
    const parts: AssistantPart[] = [];
    if (step.say) {
      const text = fill(step.say.text, scope);
      for (const chunk of wordsOf(text)) {
        run.showText(number, chunk);
        if (step.say.everyMs > 0) await pause(this.ports.timers, step.say.everyMs, run.signal);
      }
      parts.push({ type: 'text', text, provider });
    }
    const calls = step.calls.map(({ tool, input }, position) => ({
      callId: `${run.runId}_${String(index)}_${String(position)}`,
      tool,
      input: fillJson(input, scope),
    }));
    for (const call of calls) parts.push({ type: 'tool_call', ...call, provider });
    const finishReason = calls.length > 0 ? 'tool-calls' : 'stop';
    await run.journal.modelMessage({ step: number, parts, provider: 'script', finishReason });
    this.#recordMessage(number, parts);
    return calls;
  }

  async #callAll(calls: readonly RequestedCall[]): Promise<boolean> {
    const results = await this.ports.tools.callAll(
      this.run,
      calls.map(({ callId, tool, input }) => ({ callId, tool, input })),
    );
    for (const result of results) this.#recordResult(result);
    return results.some(({ endsTurn }) => endsTurn === true);
  }

  async #takeInjected(): Promise<void> {
    for (const item of await this.run.journal.takeInjected())
      this.#injected.push(inputText(item.inputItems));
  }

  /** After a restart the same output is not emitted again. */
  async #emit(step: Step): Promise<void> {
    if (step.emit === undefined) return;
    const items = textOutput(fill(step.emit, this.#scope(step)));
    const known = await this.run.journal.emitted();
    if (JSON.stringify(known) !== JSON.stringify(items)) await this.run.journal.emitOutput(items);
  }

  #recordMessage(number: number, parts: readonly AssistantPart[]): void {
    this.#messages = number + 1;
    if (parts.some(({ type }) => type === 'tool_call')) this.#texts = [];
    else for (const part of parts) if (part.type === 'text') this.#texts.push(part.text);
  }

  #recordResult({
    callId,
    output,
    outcome,
  }: Pick<CallResult, 'callId' | 'output' | 'outcome'>): void {
    this.#last = { output, outcome };
    const [, index, position] = /_(\d+)_(\d+)$/.exec(callId) ?? [];
    const name = this.turn.steps[Number(index)]?.calls[Number(position)]?.as;
    if (name !== undefined) this.#results.set(name, this.#last);
  }

  #scope(step: Step): Scope {
    return {
      values: {
        ...this.facts,
        round: String(step.round),
        injected: this.#injected.join('\n'),
        result: this.#last.output,
        outcome: this.#last.outcome,
      },
      groups: this.turn.groups,
      results: this.#results,
    };
  }
}

const PASSED: DriverEnd = { type: 'completed', output: [] };

/** Splits a text into words with the white space before them. The last one also has the white space after it. */
const wordsOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\S)(?=\s+\S)/));

function stepOf(parts: readonly AssistantPart[]): number | undefined {
  const { scriptStep } = (parts[0]?.provider ?? {}) as { readonly scriptStep?: unknown };
  return typeof scriptStep === 'number' ? scriptStep : undefined;
}

function failed(phase: 'start' | 'agent', code: string, message: string): DriverEnd {
  return { type: 'failed', failure: { phase, code, message } };
}
