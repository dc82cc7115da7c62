import type { InjectedContext } from '@stoa/core';
import { envelope, oneLine } from './envelope.js';

/**
 * The identity and memory of a channel, which a session gets once. Memory is in an envelope, because other people
 * and agents wrote it.
 */
export function boundaryNote(context: InjectedContext): string {
  const { channelIdentity, memoryScope } = context;
  if (!channelIdentity) {
    const line = `Memory: ${oneLine(memoryScope.namespace)}`;
    return [line, ...memoryLines(context)].join('\n');
  }
  const { id, displayName, description } = channelIdentity;
  const lines = [
    'Channel identity:',
    `- id: ${oneLine(id)}`,
    `- display name: ${oneLine(displayName)}`,
    ...(description === undefined ? [] : [`- description: ${oneLine(description)}`]),
    '',
    'Memory scope:',
    `- namespace: ${oneLine(memoryScope.namespace)}`,
    `- mode: ${memoryScope.mode}`,
    '- data from other channels must not be shared.',
    ...memoryLines(context),
  ];
  return lines.join('\n');
}

function memoryLines(context: InjectedContext): string[] {
  if (!context.notes) return ['', 'The memory cannot be read now.'];
  return [...fileLines(context), ...noteLines(context)];
}

function fileLines({ channelId, files, memoryScope }: InjectedContext): string[] {
  if (!files) return [];
  const { index, topics, unlisted } = files;
  const more = unlisted === 0 ? '' : ` ${String(unlisted)} more are not listed.`;
  const source = (name: string) => `memory ${memoryScope.namespace} ${name}`;
  const ids = [channelId ?? memoryScope.namespace, 'files'];
  return [
    '',
    `Topics in memory; recall reads each of them completely.${more}`,
    envelope({ source: source('index'), ids, text: index }),
    ...topics.map(({ name, text, isWhole }) =>
      envelope({ source: source(name), ids: [...ids, name], text: isWhole ? text : `${text}\n…` }),
    ),
  ];
}

function noteLines({ channelId, notes = [], olderNotes, memoryScope }: InjectedContext) {
  if (notes.length === 0) return [];
  const older =
    olderNotes === 0 ? '' : ` ${String(olderNotes)} older notes can be read with recall.`;
  const text = notes.map(noteLine).join('\n');
  const ids = [channelId ?? memoryScope.namespace, ...notes.map(({ noteId }) => noteId)];
  const source = `memory ${memoryScope.namespace}`;
  return ['', `Notes in memory, oldest first.${older}`, envelope({ source, ids, text })];
}

/** A note in a list for agents. */
export function noteLine({ createdAt, text }: { createdAt: number; text: string }): string {
  return `[${new Date(createdAt).toISOString().slice(0, 10)}] ${text}`;
}
