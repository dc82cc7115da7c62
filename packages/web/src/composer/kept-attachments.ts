import { StoaProblem } from '@stoa/client';

/** A file that the daemon has stored, and no message has yet. */
export interface KeptFile {
  readonly assetId: string;
  readonly name: string;
  readonly bytes: number;
}

/** Maximum number of drafts with attached files; those of the draft that was changed the longest ago are forgotten first. */
const MAX_DRAFTS = 50;

/** As this browser keeps it with the draft; `undefined` when there is nothing to keep. */
export function keptText(files: readonly KeptFile[], now: number): string | undefined {
  if (files.length === 0) return undefined;
  return JSON.stringify({
    at: now,
    files: files.map(({ assetId, name, bytes }) => ({ assetId, name: name.slice(-200), bytes })),
  });
}

/** Anybody can write to the storage of a browser: what is not whole is left out. */
export function keptFrom(text: string | undefined, most: number): readonly KeptFile[] {
  const { files } = parsed(text);
  return Array.isArray(files) ? files.filter(isWhole).slice(0, most) : [];
}

/** The names under which the least recent of too many are kept. */
export function tooMany(texts: ReadonlyMap<string, string>): readonly string[] {
  return [...texts]
    .map(([name, text]) => ({ name, at: Number(parsed(text).at ?? 0) }))
    .sort((a, b) => b.at - a.at)
    .slice(MAX_DRAFTS)
    .map(({ name }) => name);
}

/** Whether the daemon has it no longer. Any other answer says nothing about it. */
export function isCollected(error: unknown): boolean {
  return error instanceof StoaProblem && error.code === 'asset_not_found';
}

function parsed(text: string | undefined): { readonly at?: unknown; readonly files?: unknown } {
  try {
    return Object(JSON.parse(text ?? '{}')) as object;
  } catch {
    return {};
  }
}

function isWhole(value: unknown): value is KeptFile {
  const { assetId, name, bytes } = Object(value) as Record<keyof KeptFile, unknown>;
  return typeof assetId === 'string' && typeof name === 'string' && typeof bytes === 'number';
}
