import { randomUUID } from 'node:crypto';
import { type Core, decide, type RunContext } from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import type { OfferedTool, ToolAnswer, WhenSent } from './offered-tool.js';

type Agent = typeof import('@stoa/agent');
type Tool = Agent['SESSION_TOOLS'][number];

/** A call that a client waits for, or whose result no client has received. */
interface OpenCall {
  readonly callId: string;
  waiting: number;
  work: Promise<ToolAnswer> | undefined;
  hasAnswer: boolean;
}

/**
 * Calls that a session makes with its own token, executed in its active run and refused without one. Two equal calls
 * at the same time are one call. A call is kept until the program has received its result, at most until the run
 * ends: a program that stopped waiting for a question and asks it again gets the same question and its answer.
 */
export class RunCalls {
  readonly #open = new WeakMap<RunContext, Map<string, OpenCall>>();

  constructor(
    private readonly core: Core,
    private readonly agent: Agent,
    private readonly home: string,
  ) {}

  toolsOf(sessionId: string): OfferedTool[] {
    return this.agent.SESSION_TOOLS.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input: tool.input,
      isReading: tool.kind === 'read',
      call: (input, signal, whenSent) => {
        const run = this.core.runner.contextOf(sessionId);
        if (!run) throw new StoaError('run_ended', `No run of ${sessionId} is under way`);
        return this.#call(run, tool, input, AbortSignal.any([signal, run.signal]), whenSent);
      },
    }));
  }

  async #call(
    run: RunContext,
    tool: Tool,
    input: unknown,
    signal: AbortSignal,
    whenSent: WhenSent,
  ): Promise<ToolAnswer> {
    const calls = this.#open.get(run) ?? new Map<string, OpenCall>();
    this.#open.set(run, calls);
    const same = `${tool.name} ${this.agent.inputHash(input)}`;
    const open = calls.get(same) ?? {
      callId: `mcp_${randomUUID()}`,
      waiting: 0,
      work: undefined,
      hasAnswer: false,
    };
    calls.set(same, open);
    const isWanted = (): boolean => open.waiting > 0;
    const work = (open.work ??= this.#carryOut(run, tool, input, open.callId, isWanted));
    const forget = (): void => {
      if (calls.get(same) === open) calls.delete(same);
    };
    open.waiting += 1;
    try {
      const answer = await this.agent.orAborted(work, signal);
      open.hasAnswer = true;
      // Not earlier: a client that stopped waiting a moment ago may ask again, and finds the answer.
      whenSent(forget, () => {
        if (!calls.has(same)) calls.set(same, open);
      });
      return answer;
    } finally {
      open.waiting -= 1;
      // No client waits for this result; the same call again gets the answer under the same id.
      if (!isWanted() && !open.hasAnswer) open.work = undefined;
    }
  }

  async #carryOut(
    run: RunContext,
    tool: Tool,
    input: unknown,
    callId: string,
    isWanted: () => boolean,
  ): Promise<ToolAnswer> {
    const { home } = this;
    const output = await this.agent.callDirectly({
      run,
      callId,
      tool,
      input,
      home,
      decide,
      isWanted,
    });
    // Passing a turn publishes nothing, so other text of the program is not published either.
    if (output.endsTurn === true) await run.journal.emitOutput([]);
    const { isError = false } = output;
    const outcome = isError ? 'error' : 'ok';
    const result = {
      runId: run.runId,
      callId,
      tool: tool.name,
      outcome,
      output: output.text,
    } as const;
    // Text of others is information for the model here too, never an instruction.
    const text =
      tool.kind === 'read' && !isError ? this.agent.toolResultForModel(result) : output.text;
    return { text, isError };
  }
}
