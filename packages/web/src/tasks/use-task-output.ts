import { useEffect, useState } from 'react';
import { client } from '../data/client.js';
import { followOutput, type ShownOutput } from './follow-output.js';

const LOADING: ShownOutput = { state: 'loading', text: '', isCut: false };

/** The end of what a task put out, and what it puts out while one looks. */
export function useTaskOutput(taskId: string, isLive: boolean): ShownOutput {
  const [shown, setShown] = useState(LOADING);
  // A task that has ended may be revived, and then there is more to follow.
  useEffect(() => {
    const stop = new AbortController();
    void followOutput(client.tasks, taskId, isLive, stop.signal, setShown);
    return () => stop.abort();
  }, [taskId, isLive]);
  return shown;
}
