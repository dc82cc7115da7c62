import { createHmac, randomUUID } from 'node:crypto';
import type { Observation, ObservationSource, VisibilityHint } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { block, details } from '../terminal/details.js';
import { printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';

export interface CreateSourceOptions extends GlobalFlags {
  readonly thread?: string;
  readonly show?: VisibilityHint;
  readonly template?: string;
}

export interface UpdateSourceOptions extends GlobalFlags {
  readonly title?: string;
  readonly template?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
}

export interface ListObservationsOptions extends GlobalFlags {
  readonly limit: number;
  readonly quiet?: boolean;
}

export interface SendObservationOptions extends GlobalFlags {
  readonly delivery?: string;
}

export async function createSource(
  context: Context,
  [channelId = '', ...words]: readonly string[],
  { thread, show, template }: CreateSourceOptions,
): Promise<void> {
  const made = await context.client.observations.createSource({
    channelId,
    title: words.join(' '),
    scope: thread === undefined ? 'channel' : 'thread',
    threadRootMessageId: thread,
    visibilityHint: show ?? 'auto',
    template,
  });
  const { source, secret } = made;
  context.answer(made, () => `${source.sourceId}\n${secret}`);
  if (!context.flags.json)
    context.say('the secret is shown once; anyone who has it can send observations');
}

export async function listSources(
  context: Context,
  [channelId = '']: readonly string[],
): Promise<void> {
  const sources = await context.client.observations.sources(channelId);
  if (context.flags.json) context.json({ sources });
  else if (sources.length === 0) context.say('no sources');
  else context.line(sourceTable(context, sources));
}

function sourceTable(context: Context, sources: readonly ObservationSource[]): string {
  return context.table(
    [{ title: 'SOURCE' }, { title: 'STATE' }, { title: 'MADE' }, { title: 'TITLE' }],
    sources.map(({ sourceId, enabled, createdAt, title }) => [
      sourceId,
      enabled ? 'on' : 'off',
      relativeTime(createdAt, context.io.now()),
      printableLine(title),
    ]),
  );
}

export async function showSource(
  context: Context,
  [sourceId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.observations.getSource(sourceId));
}

export async function updateSource(
  context: Context,
  [sourceId = '']: readonly string[],
  { title, template, enable, disable }: UpdateSourceOptions,
): Promise<void> {
  if (enable && disable) throw new UsageError('--enable and --disable cannot be combined');
  const change = {
    title,
    template: template === '' ? null : template,
    enabled: enable ? true : disable ? false : undefined,
  };
  if (Object.values(change).every((value) => value === undefined)) {
    throw new UsageError(
      'there is nothing to change',
      'give --title, --template, --enable or --disable',
    );
  }
  show(context, await context.client.observations.updateSource(sourceId, change));
}

export async function rotateSecret(
  context: Context,
  [sourceId = '']: readonly string[],
): Promise<void> {
  const made = await context.client.observations.rotateSecret(sourceId);
  context.answer(made, () => made.secret);
  if (!context.flags.json)
    context.say('the secret is shown once; the previous secret no longer works');
}

export async function deleteSource(
  context: Context,
  [sourceId = '']: readonly string[],
): Promise<void> {
  await context.client.observations.deleteSource(sourceId);
  context.answer({ deleted: sourceId }, () => `${sourceId} is deleted.`);
}

export async function listObservations(
  context: Context,
  [sourceId = '']: readonly string[],
  { limit, quiet }: ListObservationsOptions,
): Promise<void> {
  const observations = await context.client.observations.list(sourceId, { limit });
  if (context.flags.json) context.json({ observations });
  else if (quiet) for (const { observationId } of observations) context.line(observationId);
  else if (observations.length === 0) context.say('no observations');
  else context.line(observationTable(context, observations));
}

function observationTable(context: Context, observations: readonly Observation[]): string {
  return context.table(
    [{ title: 'OBSERVATION' }, { title: 'CAME' }, { title: 'STIMULUS' }, { title: 'SAYS' }],
    observations.map(({ observationId, receivedAt, stimulusId, excerpt }) => [
      observationId,
      relativeTime(receivedAt, context.io.now()),
      stimulusId,
      printableLine(excerpt),
    ]),
  );
}

/** A secret on a command line could be read by every program of the machine, and stays in the history. */
export async function sendObservation(
  context: Context,
  [sourceId = '', ...words]: readonly string[],
  { delivery = randomUUID() }: SendObservationOptions,
): Promise<void> {
  const secret = context.io.env['STOA_OBSERVATION_SECRET'] ?? (await fromStdin(context));
  if (secret === '') {
    throw new UsageError(
      'there is no secret to sign with',
      'set STOA_OBSERVATION_SECRET, or write the secret to standard input',
    );
  }
  const body = new TextEncoder().encode(words.join(' '));
  const at = String(Math.floor(context.io.now() / 1_000));
  const signed = createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');
  const sent = await context.client.observations.send(sourceId, body, {
    headers: { 'Stoa-Signature': `t=${at},v1=${signed}`, 'Stoa-Delivery': delivery },
  });
  context.answer(sent, () => sent.observationId);
}

async function fromStdin({ io }: Context): Promise<string> {
  if (io.inIsTerminal) return '';
  return new TextDecoder().decode(await io.stdin()).trim();
}

function show(context: Context, source: ObservationSource): void {
  context.answer(source, () => sourceText(context, source));
}

function sourceText({ paint, io }: Context, source: ObservationSource): string {
  const { sourceId, title, template, createdAt, createdBy } = source;
  const text = details(paint, { title: printableLine(title), id: sourceId }, [
    ['channel', source.channelId],
    ['state', source.enabled ? 'on' : 'off'],
    ['thread', source.threadRootMessageId],
    ['shown', source.visibilityHint],
    ['created', `${relativeTime(createdAt, io.now())} by ${createdBy}`],
  ]);
  return template === undefined ? text : `${text}\n${block(paint, 'template', template)}`;
}
