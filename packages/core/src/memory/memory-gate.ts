import { actorIdOf, type Principal, StoaError } from '@stoa/protocol';
import { type CountedMemoryRow, findMemory, type Tx } from '@stoa/store';
import { callerClass } from '../access/rules.js';

/** The only way to a memory that a caller names. Its person and the owner of the daemon have access. */
export function* memoryOf(principal: Principal, memoryId: string): Tx<CountedMemoryRow> {
  const memory = yield* findMemory.first({ memoryId });
  if (!memory) throw new StoaError('memory_not_found', `There is no memory ${memoryId}`);
  const isTheirs = principal.kind === 'human' && actorIdOf(principal) === memory.ownerId;
  if (isTheirs || callerClass(principal) === 'admin') return memory;
  throw new StoaError('forbidden', 'Only its person and the owner have access to a memory');
}
