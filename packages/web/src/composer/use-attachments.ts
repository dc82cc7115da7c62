import { ASSET_BYTES, ITEMS_PER_MESSAGE } from '@stoa/client';
import { useEffect, useRef, useState } from 'react';
import { client } from '../data/client.js';
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

export function useAttachments(): Attachments {
  const [attached, setAttached] = useState<readonly Attached[]>([]);
  const count = useRef(0);
  const previews = useRef(new Set<string>());
  useEffect(() => {
    const made = previews.current;
    return () => {
      for (const url of made) URL.revokeObjectURL(url);
    };
  }, []);
  const change = (key: number, next: Partial<Attached>): void =>
    setAttached((all) => all.map((each) => (each.key === key ? { ...each, ...next } : each)));
  const upload = async (key: number, file: File): Promise<void> => {
    try {
      if (file.size > ASSET_BYTES) {
        throw new RangeError(`${sizeOf(file.size)} is more than ${sizeOf(ASSET_BYTES)}`);
      }
      const bytes = new Uint8Array(await file.arrayBuffer());
      const { assetId } = await client.assets.upload(bytes, { name: file.name.slice(-200) });
      change(key, { state: 'stored', assetId });
    } catch (error) {
      change(key, { state: 'failed', problem: (error as Error).message });
    }
  };
  return {
    attached,
    add: (files) => {
      // One item of the message is its text.
      const room = ITEMS_PER_MESSAGE - 1 - attached.length;
      for (const file of [...files].slice(0, room)) {
        count.current += 1;
        const key = count.current;
        const preview = PREVIEWED.test(file.type) ? URL.createObjectURL(file) : undefined;
        if (preview !== undefined) previews.current.add(preview);
        setAttached((all) => [
          ...all,
          { key, name: file.name, bytes: file.size, preview, state: 'uploading' },
        ]);
        void upload(key, file);
      }
    },
    remove: (key) => setAttached((all) => all.filter((each) => each.key !== key)),
    clear: () => setAttached([]),
  };
}
