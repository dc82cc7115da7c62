import type { TaskDetail } from '@stoa/client';
import type { KeyHint } from '../ui/kbd.js';

export type TaskAct = 'stop' | 'message' | 'promote' | 'resume';

const KEYS: readonly (readonly [key: string, does: string, act: TaskAct])[] = [
  ['x', 'stop', 'stop'],
  ['m', 'message', 'message'],
  ['b', 'run in background', 'promote'],
  ['r', 'resume', 'resume'],
];

/** What a key does to a task of which this can be done. */
export function taskActOf(key: string, can: TaskDetail['can']): TaskAct | undefined {
  return KEYS.find(([each, , act]) => each === key && isPossible(act, can))?.[2];
}

/** The keys that work now; `can` of the task that is shown. */
export function taskHints(can: TaskDetail['can'] | undefined, count: number): KeyHint[] {
  return [
    ...(count > (can ? 1 : 0) ? [['j k', 'choose'] as const] : []),
    ...KEYS.filter(([, , act]) => can && isPossible(act, can)).map(
      ([key, does]) => [key, does] as const,
    ),
    ['Esc', 'close'],
  ];
}

function isPossible(act: TaskAct, can: TaskDetail['can']): boolean {
  return act === 'message' ? can.send : can[act];
}
