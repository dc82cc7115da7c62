import type { CreateSchedule, Schedule } from '@stoa/protocol';
import type { Answer, Caller, CallOptions, KeyedCallOptions } from '../http/caller.js';
import type { Defaulted } from './defaulted.js';
import type { QueryFor } from './query.js';

export type SchedulePage = Answer<'listSchedules'>;

export interface SchedulesApi {
  create(
    schedule: Defaulted<CreateSchedule, 'overlap' | 'misfire'>,
    options?: KeyedCallOptions,
  ): Promise<Schedule>;
  /** Newest first. */
  list(query?: QueryFor<'listSchedules'>, options?: CallOptions): Promise<SchedulePage>;
  get(scheduleId: string, options?: CallOptions): Promise<Schedule>;
  pause(scheduleId: string, options?: CallOptions): Promise<Schedule>;
  /** From now on: what was due meanwhile is not made up for. */
  resume(scheduleId: string, options?: CallOptions): Promise<Schedule>;
  /** Fires it now, besides its times. */
  trigger(scheduleId: string, options?: CallOptions): Promise<Schedule>;
  /** It stays in the list. */
  end(scheduleId: string, options?: CallOptions): Promise<Schedule>;
}

export function schedulesApi(call: Caller): SchedulesApi {
  return {
    create: (schedule, options) =>
      call('createSchedule', { body: schedule as CreateSchedule, ...options }),
    list: (query, options) => call('listSchedules', { query, ...options }),
    get: (scheduleId, options) => call('getSchedule', { params: { scheduleId }, ...options }),
    pause: (scheduleId, options) => call('pauseSchedule', { params: { scheduleId }, ...options }),
    resume: (scheduleId, options) => call('resumeSchedule', { params: { scheduleId }, ...options }),
    trigger: (scheduleId, options) =>
      call('triggerSchedule', { params: { scheduleId }, ...options }),
    end: (scheduleId, options) => call('endSchedule', { params: { scheduleId }, ...options }),
  };
}
