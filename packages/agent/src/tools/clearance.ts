import type { RunContext } from '@stoa/core';
import { type Approval, LIMITS } from '@stoa/protocol';
import { type CallToOpen, type OpenedCall, openCall } from './call-environment.js';
import { shorten } from './cut-text.js';
import { inputHash } from './input-hash.js';
import type { Judgement } from './permission.js';
import { reviewFields } from './review.js';
import type { DecidedEnvironment, Tool } from './tool.js';
import { ToolFailure } from './tool-failure.js';
import { readInput, whyUnfit } from './tool-input.js';

/** A rule or a person denied the call. */
export class Denied extends Error {
  override readonly name = 'Denied';
}

/** A call that may run, with exactly this input. */
export interface Cleared {
  readonly input: unknown;
  readonly hash: string;
  readonly environment: DecidedEnvironment;
  readonly approvalId?: string;
}

export interface CallToClear extends CallToOpen {
  /** Called for each command that could not be parsed. */
  readonly unparsable: (command: string) => void;
}

/** Decides about a call and asks people if necessary. Throws Denied or ToolFailure. */
export async function clear(call: CallToClear): Promise<Cleared> {
  const input = readInput(call.tool, call.input);
  const opened = await openCall({ ...call, input });
  const { environment, judgement } = opened;
  judgement.unparsable.forEach(call.unparsable);
  if (judgement.outcome === 'deny') throw new Denied(denied(judgement.reason));
  if (call.tool.question) return askQuestion(call, input, environment);
  if (judgement.outcome === 'allow') return { input, hash: inputHash(input), environment };
  return askPermission(call, input, opened);
}

async function askPermission(
  call: CallToClear,
  input: unknown,
  { environment, judgement }: OpenedCall,
): Promise<Cleared> {
  const { tool } = call;
  const hash = inputHash(input);
  const review = await tool.review?.(input, environment);
  const approval = await ask(call, input, {
    kind: 'tool',
    title: titleOf(tool, input),
    inputHash: hash,
    ...reviewFields(review ?? {}),
    reason: judgement.reason,
    staysInWorkspace: judgement.staysInWorkspace,
    ...suggestion(judgement),
  });
  if (approval.state !== 'allowed') throw notAllowed(approval);
  const { approvalId } = approval;
  if (approval.updatedInput === undefined) return { input, hash, environment, approvalId };
  return { ...(await clearUpdated(call, approval.updatedInput)), approvalId };
}

/** A person replaced the arguments. The new ones need no approval, but a rule can still deny them. */
async function clearUpdated(call: CallToClear, updated: unknown): Promise<Cleared> {
  const input = readInput(call.tool, updated);
  const { environment, judgement } = await openCall({ ...call, input });
  if (judgement.outcome === 'deny') throw new Denied(denied(judgement.reason));
  return { input, hash: inputHash(input), environment };
}

async function askQuestion(
  call: CallToClear,
  input: unknown,
  environment: DecidedEnvironment,
): Promise<Cleared> {
  const { question, options } = call.tool.question?.(input) ?? { question: '' };
  const hash = inputHash(input);
  const approval = await ask(call, input, {
    kind: 'question',
    title: question,
    inputHash: hash,
    reason: 'The agent asks.',
    ...(options === undefined ? {} : { options: [...options] }),
  });
  const { state, answer, approvalId } = approval;
  if (state === 'answered') {
    return { input, hash, environment: { ...environment, answer: answer ?? '' }, approvalId };
  }
  if (state === 'denied') {
    throw new Denied(`The question was not answered${answer === undefined ? '.' : `: ${answer}`}`);
  }
  if (state === 'expired') throw new ToolFailure('Nobody answered the question in time.');
  throw new Denied('The question was withdrawn.');
}

type Asked = Parameters<RunContext['ask']>[0];

async function ask(
  { run, callId, tool }: CallToClear,
  input: unknown,
  asked: Omit<Asked, 'callId' | 'tool' | 'input'>,
): Promise<Approval> {
  const shown = input as Approval['input'];
  const approval = await run.ask({ ...asked, callId, tool: tool.name, input: shown }, (updated) =>
    whyUnfit(tool, updated),
  );
  // A run asks once for each call id. The answer must not apply to another call with the same id.
  if (approval.inputHash !== asked.inputHash || approval.tool !== tool.name) {
    throw new ToolFailure(`The call id ${callId} was used before; make the call again.`);
  }
  return approval;
}

function notAllowed({ state, answer }: Approval): Denied {
  switch (state) {
    case 'denied':
      return new Denied(`A person denied this call${answer === undefined ? '.' : `: ${answer}`}`);
    case 'expired':
      return new Denied('Nobody approved this call in time; it did not run.');
    default:
      return new Denied('The question about this call was withdrawn; it did not run.');
  }
}

function denied(reason: string): string {
  return `Not permitted: ${reason}. It did not run; do not try to get around this.`;
}

function suggestion({ suggestedRule }: Judgement): Pick<Asked, 'suggestedRule'> {
  const isKept = suggestedRule !== undefined && suggestedRule.length <= LIMITS.ruleChars;
  return isKept ? { suggestedRule } : {};
}

/** One line for lists. */
export function titleOf(tool: Tool, input: unknown): string {
  const line = tool.title(input).replace(/\s+/g, ' ').trim();
  return shorten(line, LIMITS.titleChars);
}
