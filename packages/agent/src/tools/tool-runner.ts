import { isFenced, type RunContext } from '@stoa/core';
import {
  type AgentDefinition,
  type Approval,
  LIMITS,
  StoaError,
  type ToolOutcome,
} from '@stoa/protocol';
import { z } from 'zod';
import type { CallResult, CallTools, RequestedCall, ToolDescription } from '../call-tools.js';
import { toolResultForModel } from '../envelope.js';
import { type Cleared, clear, Denied, titleOf } from './clearance.js';
import { cutText } from './cut-text.js';
import type { Decide } from './permission.js';
import { READ_ONLY_KINDS, type Tool, type ToolOutput } from './tool.js';
import { ToolFailure } from './tool-failure.js';

export interface ToolCall {
  readonly run: RunContext;
  readonly callId: string;
  readonly tool: string;
  /** As the model wrote it; a string if the arguments were not JSON. */
  readonly input: unknown;
}

export interface ToolCallResult extends CallResult {
  readonly tool: string;
  /** For the model: text from outside is in an envelope. */
  readonly forModel: string;
}

export interface ToolRunnerOptions {
  readonly tools: readonly Tool[];
  /** Further tools of an agent, such as those of MCP servers. */
  readonly moreTools?: (run: RunContext) => Promise<readonly Tool[]>;
  readonly decide: Decide;
  /** The data directory, which file tools cannot access. */
  readonly home: string;
  /** Milliseconds of a monotonic clock, for the duration of calls. */
  readonly now: () => number;
  /** Writes to the log. Must not throw. */
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

/**
 * Carries out the calls of a model. It checks the input, decides about the subjects, asks people if necessary,
 * journals the call, and then runs it. A journaled call without a result may have run.
 *
 * Rejects if the run was stopped before the call began, if the driver no longer owns the run, and if the journal
 * cannot be written. Any other failure is a result for the model.
 */
export class ToolRunner implements CallTools {
  constructor(private readonly options: ToolRunnerOptions) {}

  async describe(run: RunContext): Promise<ToolDescription[]> {
    const tools = await this.#toolsOf(run);
    return [...tools.values()].map(describeTool);
  }

  async runsWithoutApproval(run: RunContext, name: string): Promise<boolean> {
    const tool = (await this.#toolsOf(run)).get(name);
    if (!tool) return false;
    const { decide } = this.options;
    const { workspace } = run.session;
    const subject = { type: 'none' as const };
    const request = { tool: tool.name, kind: tool.kind, subject };
    return decide(request, { ...(await run.policy()), workspace }).outcome === 'allow';
  }

  /** Consecutive calls that only read run in parallel, the others in order. */
  async callAll(run: RunContext, calls: readonly RequestedCall[]): Promise<ToolCallResult[]> {
    const tools = await this.#toolsOf(run);
    const results: ToolCallResult[] = [];
    for (const group of groupsOf(calls, tools)) {
      const settled = await Promise.allSettled(
        group.map((call) => this.#call({ ...call, run }, tools)),
      );
      for (const one of settled) {
        if (one.status === 'rejected') throw one.reason;
        results.push(one.value);
      }
    }
    return results;
  }

  async call(call: ToolCall): Promise<ToolCallResult> {
    return this.#call(call, await this.#toolsOf(call.run));
  }

  async #toolsOf(run: RunContext): Promise<ReadonlyMap<string, Tool>> {
    const { tools, moreTools } = this.options;
    const more = (await moreTools?.(run)) ?? [];
    return selectTools([...tools, ...more], run.session.persona.definition.tools);
  }

  async #call(call: ToolCall, tools: ReadonlyMap<string, Tool>): Promise<ToolCallResult> {
    const { run, callId } = call;
    run.signal.throwIfAborted();
    const tool = tools.get(call.tool);
    if (!tool) return this.#settle(call, 'error', { text: unknownTool(call.tool, tools) });
    const cleared = await this.#clear(tool, call);
    if ('text' in cleared) return this.#settle(call, cleared.outcome, cleared);
    await run.journal.toolCall({
      callId,
      tool: tool.name,
      kind: tool.kind,
      title: titleOf(tool, cleared.input),
      input: cleared.input as Approval['input'],
      inputHash: cleared.hash,
      ...(cleared.approvalId === undefined ? {} : { approvalId: cleared.approvalId }),
    });
    const { now } = this.options;
    const started = now();
    const { outcome, ...output } = await this.#execute(tool, call, cleared);
    return this.#settle(call, outcome, output, Math.round(now() - started));
  }

  async #clear(tool: Tool, call: ToolCall): Promise<Cleared | Ended> {
    const { run, callId } = call;
    const unparsable = (command: string): void => {
      const { sessionId } = run.session;
      const details = { sessionId, runId: run.runId, callId, command };
      this.options.diagnose('a command could not be parsed, so no rule allows it', details);
    };
    const { home, decide } = this.options;
    try {
      return await clear({ ...call, tool, home, decide, unparsable });
    } catch (error) {
      if (error instanceof Denied) return { outcome: 'denied', text: error.message };
      if (run.signal.aborted) throw error;
      return this.#failed(call, error);
    }
  }

  async #execute(tool: Tool, call: ToolCall, { input, environment }: Cleared): Promise<Ended> {
    let ended: Ended;
    try {
      const output = await tool.execute(input, environment);
      ended = { ...output, outcome: output.isError === true ? 'error' : 'ok' };
    } catch (error) {
      if (call.run.signal.aborted && !isFenced(error)) {
        return { outcome: 'cancelled', text: 'The run was stopped during this call.' };
      }
      return this.#failed(call, error);
    }
    const wasCut = ended.outcome === 'error' && call.run.signal.aborted;
    return wasCut ? { ...ended, outcome: 'cancelled' } : ended;
  }

  #failed({ run, callId, tool }: ToolCall, error: unknown): Ended {
    if (isFenced(error)) throw error;
    if (error instanceof ToolFailure) return { outcome: 'error', text: error.message };
    if (error instanceof StoaError) {
      return { outcome: 'error', text: `${error.code}: ${error.message}` };
    }
    const { sessionId } = run.session;
    this.options.diagnose('a tool failed unexpectedly', { sessionId, callId, tool, error });
    return { outcome: 'error', text: `${tool} failed unexpectedly: ${String(error)}` };
  }

  async #settle(
    { run, callId, tool }: ToolCall,
    outcome: ToolOutcome,
    { text, endsTurn = false }: ToolOutput,
    durationMs?: number,
  ): Promise<ToolCallResult> {
    const output = cutText(text.toWellFormed().replaceAll('\0', ''), LIMITS.toolOutputChars);
    const timing = durationMs === undefined ? {} : { durationMs };
    await run.journal.toolResult({ callId, tool, outcome, output, ...timing });
    const { runId } = run;
    const forModel = toolResultForModel({ runId, callId, tool, outcome, output });
    return { callId, tool, outcome, output, forModel, endsTurn };
  }
}

function groupsOf(
  calls: readonly RequestedCall[],
  tools: ReadonlyMap<string, Tool>,
): RequestedCall[][] {
  const groups: { readonly together: boolean; readonly calls: RequestedCall[] }[] = [];
  for (const call of calls) {
    const together = READ_ONLY_KINDS.has(tools.get(call.tool)?.kind ?? 'other');
    const last = groups.at(-1);
    if (together && last?.together === true) last.calls.push(call);
    else groups.push({ together, calls: [call] });
  }
  return groups.map((group) => group.calls);
}

type Ended = ToolOutput & { readonly outcome: ToolOutcome };

/** The tools that an agent selects, in their order. Of two with the same name, the first is used. */
export function selectTools(
  tools: readonly Tool[],
  selection: AgentDefinition['tools'],
): ReadonlyMap<string, Tool> {
  const selected = new Map<string, Tool>();
  for (const tool of tools) {
    const isWanted = selection?.only?.includes(tool.name) ?? true;
    const isUnwanted = selection?.without?.includes(tool.name) ?? false;
    if (isWanted && !isUnwanted && !selected.has(tool.name)) selected.set(tool.name, tool);
  }
  return selected;
}

function describeTool({ name, description, input, inputSchema }: Tool): ToolDescription {
  const schema = inputSchema ?? z.toJSONSchema(input, { io: 'input' });
  return { name, description, inputSchema: schema };
}

function unknownTool(name: string, tools: ReadonlyMap<string, Tool>): string {
  return `There is no tool ${name.slice(0, NAME_CHARS)}. There are: ${[...tools.keys()].join(', ')}`;
}

const NAME_CHARS = 100;
