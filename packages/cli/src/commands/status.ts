import type { Status } from '@stoa/protocol';
import type { Context } from '../context.js';
import { printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';

const DURABILITY: Record<Status['durability'], string> = {
  full: 'full: acknowledged writes are on disk',
  relaxed: 'RELAXED: a power cut may lose the last acknowledged writes',
};

export async function status(context: Context): Promise<void> {
  const found = await context.client.status();
  context.answer({ url: context.located.url, ...found }, () => statusText(found, context));
}

function statusText(found: Status, context: Context): string {
  const { paint, io, located } = context;
  const durability = DURABILITY[found.durability];
  const rows = [
    ['store', `${found.engine} ${found.engineVersion}, schema ${found.schemaVersion}`],
    ['durability', found.durability === 'full' ? durability : paint.yellow(durability)],
    ['started', relativeTime(found.startedAt, io.now())],
    ['channels', String(found.channels)],
    ['streams', String(found.streams)],
    ...found.warnings.map((warning) => ['warning', paint.yellow(printableLine(warning))]),
  ];
  return [
    `${paint.bold(`Stoa ${printableLine(found.version)}`)} at ${located.url}`,
    ...rows.map(([name = '', value = '']) => `  ${name.padEnd(11)} ${value}`),
  ].join('\n');
}
