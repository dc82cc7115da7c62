import type { Memory, MemoryEvent, MemoryNote } from '@stoa/protocol';
import type { CountedMemoryRow, FullNoteRow } from '@stoa/store';

type Kept = Extract<MemoryEvent, { type: 'note_kept' }>['data'];

export function memoryRecord(row: CountedMemoryRow): Memory {
  const { memoryId, ownerId, namespace, noteCount, updatedAt } = row;
  return { memoryId, ownerId, namespace, noteCount, updatedAt };
}

export function noteRecord({ kept, createdAt }: FullNoteRow): MemoryNote {
  return { ...(JSON.parse(kept) as Kept), createdAt };
}
