import { randomUUID } from 'node:crypto';
import { type Core, decide, type RunContext } from '@stoa/core';
import { StoaError } from '@stoa/protocol';
import { channelActsOf } from '../runtime/channel-acts.js';
import { initiativeOf } from '../runtime/initiative.js';
import { sendMessageOf } from '../runtime/send-message.js';
import { taskActsOf } from '../runtime/task-acts.js';
import type { OfferedTool, ToolAnswer, WhenSent } from './offered-tool.js';

type Agent = typeof import('@stoa/agent');
type Tool = ReturnType<Agent['talkTools']>[number];

/** A call that somebody waits for, or that nobody took the result of. */
interface OpenCall {
  readonly callId: string;
  waiting: number;
  work: Promise<ToolAnswer> | undefined;
  hasAnswer: boolean;
}

/**
 * What a session does with its own token: it speaks in the run that is under way, and nowhere else.
 * The same call made twice at a time is one. A call is kept until its result has reached the program, at most
 * as long as the run: a program that gave up on a question and asks it again finds it, with its answer.
 */
export class SessionActions {
  readonly #open = new WeakMap<RunContext, Map<string, OpenCall>>();

  constructor(
    private readonly core: Core,
    private readonly agent: Agent,
    private readonly home: string,
  ) {}

  toolsOf(sessionId: string): OfferedTool[] {
    const core = (): Core => this.core;
    const talk = { sendMessage: sendMessageOf(core), channels: channelActsOf(core) };
    const tools = [
      ...this.agent.talkTools(talk),
      ...this.agent.initiativeTools(initiativeOf(core)),
      ...this.agent.taskTools(taskActsOf(core)),
    ];
    return tools.map((tool) => ({
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
      // Not before: a client that gave up a moment ago asks again, and finds the answer.
      whenSent(forget, () => {
        if (!calls.has(same)) calls.set(same, open);
      });
      return answer;
    } finally {
      open.waiting -= 1;
      // Nobody waits for this result any more; the same call again gets the answer under the same id.
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
    // What the program says besides is not published: to have passed is to have said nothing.
    if (output.endsTurn === true) await run.journal.emitOutput([]);
    const { isError = false } = output;
    const outcome = isError ? 'error' : 'ok';
    const said = {
      runId: run.runId,
      callId,
      tool: tool.name,
      outcome,
      output: output.text,
    } as const;
    // What it is told of what somebody wrote is information here as it is anywhere.
    const text =
      tool.kind === 'read' && !isError ? this.agent.toolResultForModel(said) : output.text;
    return { text, isError };
  }
}
