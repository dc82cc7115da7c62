import type { CreateStimulus, Stimulus, ThreadWork, UpdateThreadWork } from '@stoa/protocol';
import type { Answer, Caller, CallOptions, KeyedCallOptions } from '../http/caller.js';
import type { Defaulted } from './defaulted.js';
import type { QueryFor } from './query.js';

export type StimulusPage = Answer<'listStimuli'>;
export type ThreadWorkPage = Answer<'listThreadWork'>;

/** Reasons to speak that nobody said yet, and the work of threads that comes of them. */
export interface StimuliApi {
  create(
    channelId: string,
    stimulus: Defaulted<CreateStimulus, 'scope' | 'visibilityHint'>,
    options?: KeyedCallOptions,
  ): Promise<Stimulus>;
  /** Newest first. */
  list(
    channelId: string,
    query?: QueryFor<'listStimuli'>,
    options?: CallOptions,
  ): Promise<StimulusPage>;
  get(channelId: string, stimulusId: string, options?: CallOptions): Promise<Stimulus>;
  cancel(channelId: string, stimulusId: string, options?: CallOptions): Promise<Stimulus>;
  /** A dead letter, or one that was cancelled, from the beginning. */
  replay(channelId: string, stimulusId: string, options?: CallOptions): Promise<Stimulus>;
  /** Newest thread first. */
  work(
    channelId: string,
    query?: QueryFor<'listThreadWork'>,
    options?: CallOptions,
  ): Promise<ThreadWorkPage>;
  updateWork(
    channelId: string,
    rootMessageId: string,
    change: UpdateThreadWork,
    options?: CallOptions,
  ): Promise<ThreadWork>;
}

export function stimuliApi(call: Caller): StimuliApi {
  return {
    create: (channelId, stimulus, options) =>
      call('createStimulus', {
        params: { channelId },
        body: stimulus as CreateStimulus,
        ...options,
      }),
    list: (channelId, query, options) =>
      call('listStimuli', { params: { channelId }, query, ...options }),
    get: (channelId, stimulusId, options) =>
      call('getStimulus', { params: { channelId, stimulusId }, ...options }),
    cancel: (channelId, stimulusId, options) =>
      call('cancelStimulus', { params: { channelId, stimulusId }, ...options }),
    replay: (channelId, stimulusId, options) =>
      call('replayStimulus', { params: { channelId, stimulusId }, ...options }),
    work: (channelId, query, options) =>
      call('listThreadWork', { params: { channelId }, query, ...options }),
    updateWork: (channelId, messageId, change, options) =>
      call('updateThreadWork', { params: { channelId, messageId }, body: change, ...options }),
  };
}
