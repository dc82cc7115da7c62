import { type Reply, say } from './reply.js';
import type { ModelRequest } from './request.js';
import type { WireName } from './wire.js';

/** A string is a text answer; a function sees the request before it decides. */
export type Answer = string | Reply | ((request: ModelRequest) => AnswerNow | Promise<AnswerNow>);
type AnswerNow = string | Reply;

/** All that is named must hold. */
export interface RequestPattern {
  readonly wire?: WireName;
  readonly model?: string;
  readonly system?: string | RegExp;
  /** The last message of a person. */
  readonly userText?: string | RegExp;
  /** A tool on offer. */
  readonly tool?: string;
  /** Whether results came after the model last spoke; or one of the tool of this name. */
  readonly toolResult?: boolean | string;
}

export type Matcher = RequestPattern | ((request: ModelRequest) => boolean);

export interface ScriptStep {
  readonly kind: 'step';
  readonly matcher: Matcher;
  readonly answer: Answer;
  readonly isStanding: boolean;
}

/** Steps in order, or one function that answers everything. */
export type ModelScript = readonly (Answer | ScriptStep)[] | Answer;

/** Answers one request: the first that fits. */
export function when(matcher: Matcher, answer: Answer): ScriptStep {
  return { kind: 'step', matcher, answer, isStanding: false };
}

/** Answers every request that fits and that no step before it takes. */
export function always(answer: Answer, matcher: Matcher = {}): ScriptStep {
  return { kind: 'step', matcher, answer, isStanding: true };
}

/** A request takes the first unused step that fits it; a step is used once, or stands for ever. */
export class ScriptPlayer {
  #steps: readonly ScriptStep[];

  constructor(script: ModelScript) {
    const steps = isList(script) ? script : [always(script)];
    this.#steps = steps.map((step) => (isStep(step) ? step : when({}, step)));
  }

  /** The steps that still wait for their request. */
  get waiting(): number {
    return this.#steps.filter((step) => !step.isStanding).length;
  }

  add(script: ModelScript): void {
    this.#steps = [...this.#steps, ...new ScriptPlayer(script).#steps];
  }

  async answer(request: ModelRequest): Promise<Reply | undefined> {
    const step = this.#steps.find(({ matcher }) => matches(matcher, request));
    if (step === undefined) return undefined;
    if (!step.isStanding) this.#steps = this.#steps.filter((other) => other !== step);
    const { answer } = step;
    const given = typeof answer === 'function' ? await answer(request) : answer;
    return typeof given === 'string' ? say(given) : given;
  }
}

function isList(script: ModelScript): script is readonly (Answer | ScriptStep)[] {
  return Array.isArray(script);
}

function isStep(step: Answer | ScriptStep): step is ScriptStep {
  return typeof step === 'object' && step.kind === 'step';
}

function matches(matcher: Matcher, request: ModelRequest): boolean {
  if (typeof matcher === 'function') return matcher(request);
  const { wire, model, system, userText, tool, toolResult } = matcher;
  return (
    (wire === undefined || wire === request.wire) &&
    (model === undefined || model === request.model) &&
    fits(system, request.system) &&
    fits(userText, request.lastUserText) &&
    (tool === undefined || request.tools.includes(tool)) &&
    (toolResult === undefined || hasResult(toolResult, request))
  );
}

function fits(wanted: string | RegExp | undefined, text: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}

function hasResult(wanted: boolean | string, { toolResults }: ModelRequest): boolean {
  if (typeof wanted === 'boolean') return toolResults.length > 0 === wanted;
  return toolResults.some(({ name }) => name === wanted);
}
