import { LIMITS } from '@stoa/protocol/constants';
import { useEffect, useSyncExternalStore } from 'react';
import { keep, kept, keptKeys } from '../app/kept.js';
import { readAsset } from '../data/asset-url.js';
import { client } from '../data/client.js';
import { useWhileLive } from '../data/live.js';
import { toast } from '../ui/toast.js';
import { isCollected, type KeptFile, keptFrom, keptText, tooMany } from './kept-attachments.js';
import { sizeOf } from './size-of.js';

/*
 * A file that is to go with a message is stored as soon as it is chosen, and then kept with the draft:
 *
 *   uploading ──stored──▶ stored ──sent──▶ gone
 *   uploading ──refused──▶ failed ──removed──▶ gone
 *   stored ──page loaded again──▶ kept ──the daemon has it──▶ stored
 *                                 kept ──removed by the daemon──▶ gone, with a toast
 */
export interface Attached {
  readonly key: number;
  readonly name: string;
  readonly bytes: number;
  /** Preview of an image. */
  readonly preview: string | undefined;
  readonly state: 'uploading' | 'stored' | 'failed' | 'kept';
  readonly assetId?: string;
  readonly problem?: string;
}

export interface Attachments {
  readonly attached: readonly Attached[];
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (key: number) => void;
  readonly clear: () => void;
}

/** Shown as pictures before anything is known of them but what they are called; never SVG, which can be a program. */
const PREVIEWED = /^image\/(?:png|jpeg|gif|webp|avif)$/;
/** One item of a message is its text. */
const MOST = LIMITS.inputItems - 1;

const NONE: readonly Attached[] = [];
/** By draft: like the text, they are still there when the person returns. */
const byDraft = new Map<string, readonly Attached[]>();
const watchers = new Set<() => void>();
let count = 0;

const PREFIX = 'attached:';

function attachedAt(draftKey: string): readonly Attached[] {
  const known = byDraft.get(draftKey);
  if (known) return known;
  const files = keptFrom(kept(PREFIX + draftKey), MOST);
  const restored = files.map((file): Attached => {
    count += 1;
    return { ...file, key: count, preview: undefined, state: 'kept' };
  });
  byDraft.set(draftKey, restored);
  return restored;
}

function change(draftKey: string, make: (all: readonly Attached[]) => readonly Attached[]): void {
  const before = attachedAt(draftKey);
  const after = make(before);
  for (const { key, preview } of before) {
    const isGone = !after.some((each) => each.key === key);
    if (isGone && preview !== undefined) URL.revokeObjectURL(preview);
  }
  byDraft.set(draftKey, after);
  keepFiles(
    draftKey,
    after.flatMap(({ assetId, ...rest }) => (assetId === undefined ? [] : { assetId, ...rest })),
  );
  for (const watcher of watchers) watcher();
}

function keepFiles(draftKey: string, files: readonly KeptFile[]): void {
  keep(PREFIX + draftKey, keptText(files, Date.now()));
  const all = keptKeys(PREFIX).map((name) => [name, kept(name) ?? ''] as const);
  for (const name of tooMany(new Map(all))) keep(name, undefined);
}

const changeOne = (draftKey: string, key: number, next: Partial<Attached>): void =>
  change(draftKey, (all) => all.map((each) => (each.key === key ? { ...each, ...next } : each)));

const removeOne = (draftKey: string, key: number): void =>
  change(draftKey, (all) => all.filter((each) => each.key !== key));

/** Those that are being asked for. */
const asked = new Set<number>();

/** Asks the daemon for files that an earlier page attached: it removes files that are not sent in time. */
function checkKept(draftKey: string): void {
  for (const each of attachedAt(draftKey)) {
    if (each.state !== 'kept' || asked.has(each.key)) continue;
    asked.add(each.key);
    void checkAsset(draftKey, each).finally(() => asked.delete(each.key));
  }
}

async function checkAsset(draftKey: string, { key, name, assetId = '' }: Attached): Promise<void> {
  try {
    const { mediaType } = await client.assets.get(assetId);
    const preview = PREVIEWED.test(mediaType)
      ? URL.createObjectURL(await readAsset(assetId, mediaType))
      : undefined;
    changeOne(draftKey, key, { state: 'stored', preview });
  } catch (error) {
    const isWanted = attachedAt(draftKey).some((each) => each.key === key);
    if (!isWanted || !isCollected(error)) return;
    removeOne(draftKey, key);
    toast.tell(`${name} was not sent in time and is no longer stored. Attach it again.`);
  }
}

async function upload(draftKey: string, key: number, file: File): Promise<void> {
  const tell = (next: Partial<Attached>): void => changeOne(draftKey, key, next);
  try {
    if (file.size > LIMITS.assetBytes) {
      throw new RangeError(`${sizeOf(file.size)} is more than ${sizeOf(LIMITS.assetBytes)}`);
    }
    if (file.size === 0) {
      throw new RangeError(`${file.name} is empty: there is nothing to send.`);
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    const { assetId } = await client.assets.upload(bytes, { name: file.name.slice(-200) });
    tell({ state: 'stored', assetId });
  } catch (error) {
    tell({ state: 'failed', problem: (error as Error).message });
  }
}

function add(draftKey: string, files: readonly File[]): void {
  const room = MOST - attachedAt(draftKey).length;
  if (files.length > room) {
    toast.problem(
      new Error(`A message can have at most ${MOST} files. The rest were not attached.`),
    );
  }
  for (const file of files.slice(0, room)) {
    count += 1;
    const key = count;
    const preview = PREVIEWED.test(file.type) ? URL.createObjectURL(file) : undefined;
    change(draftKey, (all) => [
      ...all,
      { key, name: file.name, bytes: file.size, preview, state: 'uploading' },
    ]);
    void upload(draftKey, key, file);
  }
}

export function useAttachments(draftKey: string): Attachments {
  const attached = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => attachedAt(draftKey),
  );
  useEffect(() => checkKept(draftKey), [draftKey]);
  // Once more, where nobody answered.
  useWhileLive(() => checkKept(draftKey));
  return {
    attached,
    add: (files) => add(draftKey, [...files]),
    remove: (key) => removeOne(draftKey, key),
    clear: () => change(draftKey, () => NONE),
  };
}
