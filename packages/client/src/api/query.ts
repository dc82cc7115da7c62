import type { QueryOf } from '@stoa/protocol';
import type { CallId, Routes } from '../http/calls.js';

/** What a listing may be asked for; the daemon fills in what is left out. */
export type QueryFor<K extends CallId> = Partial<QueryOf<Routes[K]>>;
