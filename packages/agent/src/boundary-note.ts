import type { ChannelContextTold } from '@stoa/core';
import { envelope, plainText } from './envelope.js';

/**
 * Where an agent is and what is remembered there, as it is told once with a turn in a channel. What was
 * remembered is somebody's words: it informs and asks for nothing.
 */
export function boundaryNote(context: ChannelContextTold): string {
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

function memoryLines(context: ChannelContextTold): string[] {
  if (!context.notes) return ['', 'What is remembered here cannot be read now.'];
  return [...fileLines(context), ...noteLines(context)];
}

/** The long-term memory: files that people may edit, and so words of people and agents. */
function fileLines({ channelId, files, memoryScope }: ChannelContextTold): string[] {
  if (!files) return [];
  const { index, topics, unlisted } = files;
  const more = unlisted === 0 ? '' : ` ${String(unlisted)} more are not listed.`;
  const source = (name: string) => `memory ${memoryScope.namespace} ${name}`;
  const ids = [channelId ?? memoryScope.namespace, 'files'];
  return [
    '',
    `Topics that are remembered here; recall reads the others whole.${more}`,
    envelope({ source: source('index'), ids, text: index }),
    ...topics.map(({ name, text, isWhole }) =>
      envelope({ source: source(name), ids: [...ids, name], text: isWhole ? text : `${text}\n…` }),
    ),
  ];
}

function noteLines({ channelId, notes = [], olderNotes, memoryScope }: ChannelContextTold) {
  if (notes.length === 0) return [];
  const older = olderNotes === 0 ? '' : ` ${String(olderNotes)} older ones can be had with recall.`;
  const text = notes.map(noteLine).join('\n');
  const ids = [channelId ?? memoryScope.namespace, ...notes.map(({ noteId }) => noteId)];
  const source = `memory ${memoryScope.namespace}`;
  return ['', `What is remembered here, oldest first.${older}`, envelope({ source, ids, text })];
}

/** A note as an agent reads it, in a list. */
export function noteLine({ createdAt, text }: { createdAt: number; text: string }): string {
  return `[${new Date(createdAt).toISOString().slice(0, 10)}] ${text}`;
}

const oneLine = (text: string): string => plainText(text).replace(/\s+/g, ' ').trim();
