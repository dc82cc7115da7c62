import type { RunContext, StartedProgram } from '@stoa/core';
import { AgentId, LIMITS, type Task } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';
import { taskLine } from './task-text.js';

const AgentInput = z.strictObject({
  description: z
    .string()
    .max(LIMITS.titleChars)
    .regex(/\S/)
    .describe('What lists show: a few words'),
  prompt: z
    .string()
    .min(1)
    .max(LIMITS.textChars)
    .describe('All it is to know and do: it sees nothing of what you saw'),
  agent: AgentId.optional().describe('Another agent than you are; one like you without it'),
  run_in_background: z
    .boolean()
    .optional()
    .describe('Answers at once with a task id; its result is told to you when it has ended'),
  on_restart: z
    .enum(['pause', 'resume'])
    .optional()
    .describe('What becomes of it when the daemon is restarted: paused, if not said'),
});
type AgentInput = z.infer<typeof AgentInput>;

/** By run and call: only the programs that were decided about may start. */
const decided = new WeakMap<RunContext, Map<string, readonly StartedProgram[]>>();

/**
 * An agent of Stoa's own needs no approval: it may do no more than the session that starts it, and asks the
 * same people. Programs and servers of a definition need the same approval as their command lines would.
 */
export const agentTool = defineTool<AgentInput>({
  name: 'agent',
  description:
    'Lets another agent do something, in a session of its own that begins with your prompt and ' +
    'nothing else. It can do at most what you can. You get what it says in the end. In the background ' +
    'it can report how far it is with send_message to "parent".',
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
    if (programs.length === 0) return Promise.resolve({});
    return Promise.resolve({
      detail: programs.map(({ label }) => label).join('\n'),
      notes: ['Starting this agent starts what is listed with it.'],
    });
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
    if (isBackground) return { text: begun(task) };
    const ended = await run.subAgents.finished(task.taskId, signal);
    if (ended.endedAt === undefined) return { text: `It goes on without you. ${begun(ended)}` };
    if (ended.status !== 'completed') {
      const why = ended.end?.message === undefined ? '' : `\n${ended.end.message}`;
      return { text: taskLine(ended) + why, isError: true };
    }
    const said = await run.subAgents.resultOf(ended);
    return { text: said === '' ? 'It has finished and said nothing.' : said };
  },
});

const begun = ({ taskId, status }: Task): string =>
  status === 'queued'
    ? `It waits for a place as ${taskId}. You will be told when it has ended.`
    : `It works as ${taskId}. You will be told when it has ended.`;
