import type { CreateStimulus, Stimulus, StimulusState, VisibilityHint } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { parseDuration } from '../durations.js';
import { UsageError } from '../failure.js';
import { block, details } from '../terminal/details.js';
import { printableLine } from '../terminal/printable.js';
import { clockTime, relativeTime } from '../terminal/times.js';
import { textFrom } from './message-input.js';

export interface CreateStimulusOptions extends GlobalFlags {
  readonly kind: CreateStimulus['kind'];
  readonly thread?: string;
  readonly show?: VisibilityHint;
  readonly to?: readonly string[];
  readonly dedupe?: string;
  readonly progress?: string;
  readonly source?: string;
  readonly expires?: string;
  readonly key?: string;
}

export interface ListStimuliOptions extends GlobalFlags {
  readonly state?: StimulusState;
  readonly thread?: string;
  readonly before?: number;
  readonly limit: number;
  readonly quiet?: boolean;
}

export async function createStimulus(
  context: Context,
  [channelId = '', ...words]: readonly string[],
  options: CreateStimulusOptions,
): Promise<void> {
  const content = await textFrom(context, words);
  const { thread, show, to, dedupe, progress, key } = options;
  const stimulus = await context.client.stimuli.create(
    channelId,
    {
      kind: options.kind,
      content,
      scope: thread === undefined ? 'channel' : 'thread',
      threadRootMessageId: thread,
      visibilityHint: show ?? 'auto',
      addressedMemberIds: to === undefined ? undefined : [...to],
      dedupeKey: dedupe,
      progressKey: progress,
      ...sourceFrom(options.source),
      ...expiryFrom(options.expires, context.io.now()),
    },
    key === undefined ? {} : { idempotencyKey: key },
  );
  context.answer(stimulus, () => stimulus.stimulusId);
}

function sourceFrom(source: string | undefined): Pick<CreateStimulus, 'sourceKind' | 'sourceRef'> {
  if (source === undefined) return {};
  const [kind = '', ...ref] = source.split(':');
  if (kind === '' || ref.length === 0) {
    throw new UsageError(`--source cannot be ${printableLine(source)}`, 'give it as kind:id');
  }
  return { sourceKind: kind, sourceRef: ref.join(':') };
}

function expiryFrom(text: string | undefined, now: number): Pick<CreateStimulus, 'expiresAt'> {
  if (text === undefined) return {};
  const ms = parseDuration(text);
  if (ms !== undefined) return { expiresAt: now + ms };
  throw new UsageError(
    `--expires is not a duration: ${printableLine(text)}`,
    'give a duration such as 10m',
  );
}

export async function listStimuli(
  context: Context,
  [channelId = '']: readonly string[],
  { state, thread, before, limit, quiet }: ListStimuliOptions,
): Promise<void> {
  const query = { state, threadRootMessageId: thread, before, limit };
  const page = await context.client.stimuli.list(channelId, query);
  const { stimuli, nextBefore } = page;
  if (context.flags.json) context.json(page);
  else if (quiet) for (const { stimulusId } of stimuli) context.line(stimulusId);
  else if (stimuli.length === 0) context.say('no stimuli');
  else context.line(stimulusTable(context, stimuli));
  context.more(nextBefore);
}

function stimulusTable(context: Context, stimuli: readonly Stimulus[]): string {
  const now = context.io.now();
  return context.table(
    [
      { title: 'STIMULUS' },
      { title: 'KIND' },
      { title: 'STATE' },
      { title: 'BECAUSE' },
      { title: 'MADE' },
      { title: 'SAYS' },
    ],
    stimuli.map(({ stimulusId, kind, state, reason, createdAt, content }) => [
      stimulusId,
      kind,
      state,
      (reason ?? '').replaceAll('_', ' '),
      relativeTime(createdAt, now),
      printableLine(content),
    ]),
  );
}

export async function showStimulus(
  context: Context,
  [channelId = '', stimulusId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.stimuli.get(channelId, stimulusId));
}

export async function replayStimulus(
  context: Context,
  [channelId = '', stimulusId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.stimuli.replay(channelId, stimulusId));
}

export async function cancelStimulus(
  context: Context,
  [channelId = '', stimulusId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.stimuli.cancel(channelId, stimulusId));
}

function show(context: Context, stimulus: Stimulus): void {
  context.answer(stimulus, () => stimulusText(context, stimulus));
}

function stimulusText({ paint, io }: Context, stimulus: Stimulus): string {
  const { sourceKind, sourceRef, expiresAt, reason, state } = stimulus;
  const when = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : `${clockTime(at, io.now())} (${relativeTime(at, io.now())})`;
  return [
    details(paint, { title: stimulus.kind, id: stimulus.stimulusId }, [
      ['state', reason === undefined ? state : `${state}: ${reason.replaceAll('_', ' ')}`],
      ['attempts', stimulus.attempts],
      ['error', stimulus.lastError],
      ['due', state === 'pending' ? when(stimulus.availableAt) : undefined],
      ['expires', when(expiresAt)],
      ['posted', when(stimulus.dispatchedAt)],
      ['message', stimulus.messageId],
      ['thread', stimulus.threadRootMessageId],
      ['superseded by', stimulus.supersededByStimulusId],
      ['dedupe', stimulus.dedupeKey],
      ['progress', stimulus.progressKey],
      ['source', sourceKind === undefined ? undefined : `${sourceKind} ${sourceRef ?? ''}`],
      ['created', `${relativeTime(stimulus.createdAt, io.now())} by ${stimulus.createdBy}`],
    ]),
    block(paint, 'content', stimulus.content),
  ].join('\n');
}
