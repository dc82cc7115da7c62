import type { Channel, CreateChannel, UpdateChannel } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { printable, printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';

export interface ListChannelsOptions extends GlobalFlags {
  readonly archived: 'exclude' | 'include' | 'only';
  readonly quiet?: boolean;
}

/** Who agents are in a channel and what they remember there. */
interface ScopeOptions {
  readonly identityId?: string;
  readonly identityName?: string;
  readonly identityDescription?: string;
  readonly memoryNamespace?: string;
  readonly memoryMode?: string;
}

export interface CreateChannelOptions extends GlobalFlags, ScopeOptions {
  readonly id?: string;
  readonly description?: string;
  readonly purpose?: string;
}

export interface UpdateChannelOptions extends GlobalFlags, ScopeOptions {
  readonly clearIdentity?: boolean;
  readonly clearMemory?: boolean;
  readonly title?: string;
  readonly description?: string;
  readonly purpose?: string;
}

export interface DeleteChannelOptions extends GlobalFlags {
  readonly yes?: boolean;
}

export async function listChannels(
  context: Context,
  words: readonly string[],
  options: ListChannelsOptions,
): Promise<void> {
  const channels: Channel[] = [];
  const query = words.length === 0 ? undefined : words.join(' ');
  const pages = context.client.channels.list.pages({
    query,
    archived: options.archived,
    limit: 200,
  });
  for await (const page of pages) channels.push(...page.channels);
  if (context.flags.json) context.json({ channels });
  else if (options.quiet) for (const { channelId } of channels) context.line(channelId);
  else if (channels.length === 0) context.say('no channels; create one: stoa channel create TITLE');
  else context.line(channelTable(context, channels));
}

function channelTable(context: Context, channels: readonly Channel[]): string {
  return context.table(
    [
      { title: 'CHANNEL' },
      { title: 'MESSAGES', align: 'right' },
      { title: 'MEMBERS', align: 'right' },
      { title: 'CHANGED' },
      { title: 'TITLE' },
    ],
    channels.map((channel) => [
      channel.channelId,
      String(channel.messageCount),
      String(channel.memberCount),
      relativeTime(channel.updatedAt, context.io.now()),
      printableLine(channel.title) + (channel.archivedAt === undefined ? '' : ' (archived)'),
    ]),
  );
}

export async function createChannel(
  context: Context,
  words: readonly string[],
  options: CreateChannelOptions,
): Promise<void> {
  const channel = await context.client.channels.create({
    channelId: options.id,
    title: words.join(' '),
    description: options.description,
    purpose: options.purpose,
    ...scopeFrom(options),
  });
  context.answer(channel, () => channel.channelId);
  warn(context, channel);
}

export async function showChannel(
  context: Context,
  [channelId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.channels.get(channelId));
}

export async function updateChannel(
  context: Context,
  [channelId = '']: readonly string[],
  options: UpdateChannelOptions,
): Promise<void> {
  const { title, description, purpose, clearIdentity, clearMemory } = options;
  const scope = {
    ...scopeFrom(options),
    ...(clearIdentity ? { identity: null } : {}),
    ...(clearMemory ? { memoryScope: null } : {}),
  };
  const given = [title, description, purpose, ...Object.values(scope)];
  if (given.every((value) => value === undefined)) {
    throw new UsageError(
      'there is nothing to change',
      'give --title, --description, --purpose or one of --identity-… and --memory-…',
    );
  }
  const change: UpdateChannel = {
    ...scope,
    title,
    description: description === '' ? null : description,
    purpose: purpose === '' ? null : purpose,
  };
  show(context, await context.client.channels.update(channelId, change));
}

export async function archiveChannel(
  context: Context,
  [channelId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.channels.archive(channelId));
}

export async function unarchiveChannel(
  context: Context,
  [channelId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.channels.unarchive(channelId));
}

export async function deleteChannel(
  context: Context,
  [channelId = '']: readonly string[],
  options: DeleteChannelOptions,
): Promise<void> {
  if (!options.yes) {
    throw new UsageError(
      `this would permanently delete ${channelId} and its log`,
      'to confirm, add --yes; to keep it readable: stoa channel archive',
    );
  }
  await context.client.channels.delete(channelId);
  context.answer({ deleted: channelId }, () => `${channelId} is deleted.`);
}

/** What is not named of a part that is named is left to follow from the id of the channel. */
function scopeFrom(options: ScopeOptions): Pick<CreateChannel, 'identity' | 'memoryScope'> {
  const { identityId, identityName, identityDescription, memoryNamespace, memoryMode } = options;
  const identity = given({
    id: identityId,
    displayName: identityName,
    description: identityDescription,
  });
  const memoryScope = given({ namespace: memoryNamespace, mode: memoryMode });
  return { ...(identity && { identity }), ...(memoryScope && { memoryScope }) };
}

function given<T extends object>(fields: T): T | undefined {
  return Object.values(fields).some((value) => value !== undefined) ? fields : undefined;
}

function warn(context: Context, { warnings = [] }: Channel): void {
  for (const warning of warnings) context.say(`warning: ${printableLine(warning)}`);
}

function show(context: Context, channel: Channel): void {
  context.answer(channel, () => channelText(context, channel));
  warn(context, channel);
}

function channelText({ paint, io }: Context, channel: Channel): string {
  const rows: [string, string | undefined][] = [
    ['description', channel.description],
    ['purpose', channel.purpose],
    ['created', `${relativeTime(channel.createdAt, io.now())} by ${channel.createdBy}`],
    ['paused', channel.paused ? 'yes: no agent gets a turn' : undefined],
    ['archived', channel.archivedAt && relativeTime(channel.archivedAt, io.now())],
    ['identity', identityText(channel)],
    ['memory', `${channel.memoryScope.namespace} (${channel.memoryScope.mode})`],
    ['members', String(channel.memberCount)],
    ['messages', String(channel.messageCount)],
    ['sequence', String(channel.headSeq)],
    ['pinned', channel.pinnedAssetIds.join(' ') || undefined],
    ['last', channel.lastMessagePreview],
  ].map(([name, value]) => [String(name), value === undefined ? undefined : String(value)]);
  return [
    `${paint.bold(printableLine(channel.title))} ${paint.dim(channel.channelId)}`,
    ...rows.flatMap(([name, value]) =>
      value === undefined
        ? []
        : [`  ${name.padEnd(11)} ${printable(value).replaceAll('\n', `\n${' '.repeat(14)}`)}`],
    ),
  ].join('\n');
}

function identityText({ identity: { id, displayName, description } }: Channel): string {
  return `${displayName} (${id})${description === undefined ? '' : `: ${description}`}`;
}
