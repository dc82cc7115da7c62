import type { Tool } from '../tool.js';
import { createChannelStimulus, type PutStimulus } from './create-channel-stimulus.js';
import { createSchedule, type MakeSchedule } from './create-schedule.js';

export interface Initiative {
  readonly putStimulus: PutStimulus;
  readonly makeSchedule: MakeSchedule;
}

/** How an agent brings something about that nobody asked it for, whichever driver runs it. */
export function initiativeTools({ putStimulus, makeSchedule }: Initiative): Tool[] {
  return [createChannelStimulus(putStimulus), createSchedule(makeSchedule)];
}
