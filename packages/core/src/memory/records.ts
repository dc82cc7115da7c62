import type { Memory, MemoryNote } from '@stoa/protocol';
import type { CountedMemoryRow, FullNoteRow } from '@stoa/store';
import { decode } from '../kernel/codec.js';

export function memoryRecord(row: CountedMemoryRow): Memory {
  const { memoryId, ownerId, namespace, noteCount, updatedAt } = row;
  return { memoryId, ownerId, namespace, noteCount, updatedAt };
}

export function noteRecord({ kept, createdAt }: FullNoteRow): MemoryNote {
  return { ...decode(kept), createdAt };
}
