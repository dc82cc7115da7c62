import type { RunContext, StartedProgram } from '@stoa/core';
import { AgentId, LIMITS, type Task } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';
import { taskLine } from './task-text.js';

const AgentInput = z.strictObject({
  description: z.string().max(LIMITS.titleChars).regex(/\S/).describe('For lists: a few words'),
  prompt: z
    .string()
    .min(1)
    .max(LIMITS.textChars)
    .describe('The complete task: it sees nothing of your conversation'),
  agent: AgentId.optional().describe('Another agent; by default one like you'),
  run_in_background: z
    .boolean()
    .optional()
    .describe('Returns a task id at once; you get the result when it has ended'),
  on_restart: z
    .enum(['pause', 'resume'])
    .optional()
    .describe('What happens to it when the daemon restarts; by default it is paused'),
});

/** By run and call. Only programs that were decided may start. */
const decided = new WeakMap<RunContext, Map<string, readonly StartedProgram[]>>();

/**
 * A builtin agent needs no approval: it may do no more than the session that starts it, and asks the same people.
 * Programs and servers of a definition need the same approval as their command lines.
 */
export const agentTool = defineTool({
  name: 'agent',
  description:
    'Delegates a task to another agent, in a new session that starts with only your prompt. It can do at ' +
    'most what you can. You get its final answer. In the background it can report progress with ' +
    'send_message to "parent".',
  input: AgentInput,
  kind: 'speak',
  title: ({ description, agent }) =>
    agent === undefined ? `Agent: ${description}` : `Agent ${agent}: ${description}`,
  async subjects({ agent }, { run, callId }) {
    const programs = await run.subAgents.programsOf(agent);
    decided.set(
      run,
      (decided.get(run) ?? new Map<string, readonly StartedProgram[]>()).set(callId, programs),
    );
    return programs.length === 0 ? [{ type: 'none' }] : programs.map(({ subject }) => subject);
  },
  review(_, { run, callId }) {
    const programs = decided.get(run)?.get(callId) ?? [];
    if (programs.length === 0) return {};
    return {
      detail: programs.map(({ label }) => label).join('\n'),
      notes: ['Starting this agent also starts the listed programs.'],
    };
  },
  async execute(input, { run, callId, signal }) {
    const programs = (decided.get(run)?.get(callId) ?? []).map(({ label }) => label);
    const { description, prompt, agent, run_in_background: isBackground = false } = input;
    const task = await run.subAgents.launch(callId, {
      description,
      prompt,
      agentId: agent,
      isForeground: !isBackground,
      onRestart: input.on_restart,
      programs,
    });
    if (isBackground) return { text: startedText(task) };
    const ended = await run.subAgents.finished(task.taskId, signal);
    if (ended.endedAt === undefined)
      return { text: `It continues in the background. ${startedText(ended)}` };
    if (ended.status !== 'completed') {
      const why = ended.end?.message === undefined ? '' : `\n${ended.end.message}`;
      return { text: taskLine(ended) + why, isError: true };
    }
    const result = await run.subAgents.resultOf(ended);
    return { text: result === '' ? 'It has finished without an answer.' : result };
  },
});

const startedText = ({ taskId, status }: Task): string =>
  status === 'queued'
    ? `It is queued as ${taskId}. You will be notified when it has ended.`
    : `It works as ${taskId}. You will be notified when it has ended.`;
