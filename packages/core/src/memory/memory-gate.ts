import { actorIdOf, type Principal, StoaError } from '@stoa/protocol';
import { type CountedMemoryRow, findMemory, type Tx } from '@stoa/store';
import { callerClass } from '../access/rules.js';

/** The one way to a memory that a caller names: it is for the person whose sessions keep it, and the owner. */
export function* memoryOf(principal: Principal, memoryId: string): Tx<CountedMemoryRow> {
  const memory = yield* findMemory.first({ memoryId });
  if (!memory) throw new StoaError('memory_not_found', `There is no memory ${memoryId}`);
  const isTheirs = principal.kind === 'human' && actorIdOf(principal) === memory.ownerId;
  if (isTheirs || callerClass(principal) === 'admin') return memory;
  throw new StoaError('forbidden', 'A memory is for whose sessions keep it and the owner');
}
