import { createHash } from 'node:crypto';
import type { RunContext } from '@stoa/core';
import type { ToolOutcome } from '@stoa/protocol';

/** What a test's tool does: its answer, or the reason why it did not work. */
export type TracedTool = (
  input: Readonly<Record<string, unknown>>,
  call: { readonly callId: string; readonly signal: AbortSignal },
) => TracedAnswer | Promise<TracedAnswer>;
export type TracedAnswer =
  | string
  | { readonly text: string; readonly isError?: boolean; readonly endsTurn?: boolean };

interface Call {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
}
type Json = Parameters<RunContext['journal']['toolCall']>[0]['input'];

/**
 * Tools for tests of drivers. They journal as the real ones do, ask nobody, and keep what was called,
 * so that a test can tell whether something ran twice.
 */
export class TracedTools {
  readonly ran: { readonly tool: string; readonly input: unknown; readonly callId: string }[] = [];

  constructor(private readonly tools: Readonly<Record<string, TracedTool>>) {}

  describe(_run: RunContext) {
    return Promise.resolve(
      Object.keys(this.tools).map((name) => ({
        name,
        description: `The tool ${name} of a test.`,
        inputSchema: { type: 'object', properties: {}, additionalProperties: true },
      })),
    );
  }

  runsWithoutApproval(_run: RunContext, tool: string): Promise<boolean> {
    return Promise.resolve(tool in this.tools);
  }

  async callAll(run: RunContext, calls: readonly Call[]) {
    const started = [];
    for (const call of calls) started.push(await this.#start(run, call));
    const answers = await Promise.all(started.map((execute) => execute()));
    const results = [];
    for (const [index, { callId, tool }] of calls.entries()) {
      const { text, isError, endsTurn = false } = answers[index] ?? { text: '', isError: true };
      const outcome: ToolOutcome = isError === true ? 'error' : 'ok';
      await run.journal.toolResult({ callId, tool, outcome, output: text });
      results.push({ callId, outcome, output: text, endsTurn });
    }
    return results;
  }

  async #start(run: RunContext, { callId, tool, input }: Call) {
    const fail = (text: string) => () => Promise.resolve({ text, isError: true, endsTurn: false });
    const execute = this.tools[tool];
    if (!execute)
      return fail(`There is no tool ${tool}. There are: ${Object.keys(this.tools).join(', ')}`);
    if (typeof input !== 'object' || input === null) return fail('The arguments are not JSON');
    await run.journal.toolCall({
      callId,
      tool,
      kind: 'other',
      title: tool,
      input: input as Json,
      inputHash: createHash('sha256').update(JSON.stringify(input)).digest('hex'),
    });
    return async () => {
      this.ran.push({ tool, input, callId });
      const answer = await execute(input as Record<string, unknown>, {
        callId,
        signal: run.signal,
      });
      return typeof answer === 'string' ? { text: answer } : answer;
    };
  }
}
