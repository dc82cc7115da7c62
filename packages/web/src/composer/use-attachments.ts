import { ASSET_BYTES, ITEMS_PER_MESSAGE } from '@stoa/client';
import { useSyncExternalStore } from 'react';
import { client } from '../data/client.js';
import { toast } from '../ui/toast.js';
import { sizeOf } from './size-of.js';

/*
 * A file that is to go with a message is stored as soon as it is chosen:
 *
 *   uploading ──stored──▶ stored ──sent──▶ gone
 *   uploading ──refused──▶ failed ──removed──▶ gone
 */
export interface Attached {
  readonly key: number;
  readonly name: string;
  readonly bytes: number;
  /** Of an image, to be looked at before it is sent. */
  readonly preview: string | undefined;
  readonly state: 'uploading' | 'stored' | 'failed';
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
const MOST = ITEMS_PER_MESSAGE - 1;

const NONE: readonly Attached[] = [];
/** By the place that is written in: like the text, they are there when one comes back. */
const byDraft = new Map<string, readonly Attached[]>();
const watchers = new Set<() => void>();
let count = 0;

function change(draftKey: string, make: (all: readonly Attached[]) => readonly Attached[]): void {
  const before = byDraft.get(draftKey) ?? NONE;
  const after = make(before);
  for (const { key, preview } of before) {
    const isGone = !after.some((each) => each.key === key);
    if (isGone && preview !== undefined) URL.revokeObjectURL(preview);
  }
  if (after.length === 0) byDraft.delete(draftKey);
  else byDraft.set(draftKey, after);
  for (const watcher of watchers) watcher();
}

async function upload(draftKey: string, key: number, file: File): Promise<void> {
  const tell = (next: Partial<Attached>): void =>
    change(draftKey, (all) => all.map((each) => (each.key === key ? { ...each, ...next } : each)));
  try {
    if (file.size > ASSET_BYTES) {
      throw new RangeError(`${sizeOf(file.size)} is more than ${sizeOf(ASSET_BYTES)}`);
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    const { assetId } = await client.assets.upload(bytes, { name: file.name.slice(-200) });
    tell({ state: 'stored', assetId });
  } catch (error) {
    tell({ state: 'failed', problem: (error as Error).message });
  }
}

function add(draftKey: string, files: readonly File[]): void {
  const room = MOST - (byDraft.get(draftKey) ?? NONE).length;
  if (files.length > room) {
    toast.problem(new Error(`${MOST} files at most go with a message; the rest is left out.`));
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
    () => byDraft.get(draftKey) ?? NONE,
  );
  return {
    attached,
    add: (files) => add(draftKey, [...files]),
    remove: (key) => change(draftKey, (all) => all.filter((each) => each.key !== key)),
    clear: () => change(draftKey, () => NONE),
  };
}
