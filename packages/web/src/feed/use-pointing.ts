import { useState } from 'react';
import { useVisit } from '../app/router.js';
import { positionHere } from './reading-position.js';

/** A message that was gone to; another object each time, though it be the same message. */
export interface Pointed {
  readonly messageId: string;
  /** How much of it is above the edge, for a restored position; centred if absent. */
  readonly into?: number;
}

/**
 * Where the reader wanted to go last: to where they were when they left, to the message of the address, or to one that
 * was jumped to since. Who leaves a message, as by closing its thread, is not led back to an earlier jump.
 */
export function usePointing(
  messageId: string | undefined,
): [pointed: Pointed | undefined, jump: (messageId: string) => void] {
  const visit = useVisit();
  const [pointed, point] = useState<Pointed | undefined>(() => {
    const left = positionHere();
    if (left !== undefined) return left === 'end' ? undefined : left;
    return messageId === undefined ? undefined : { messageId };
  });
  const [here, setHere] = useState({ messageId, visit });
  if (here.messageId !== messageId || here.visit !== visit) {
    setHere({ messageId, visit });
    point(messageId === undefined ? undefined : { messageId });
  }
  return [pointed, (to) => point({ messageId: to })];
}
