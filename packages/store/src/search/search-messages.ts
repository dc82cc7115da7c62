import type { SearchMatch, SearchRequest } from './search-index.js';

/** The messages between the host and the search thread. */
export type ToThread =
  | { readonly kind: 'search'; readonly id: number; readonly request: SearchRequest }
  | { readonly kind: 'settle'; readonly id: number }
  | { readonly kind: 'hint'; readonly topicIds: readonly number[] }
  | { readonly kind: 'close' };

export type FromThread =
  | { readonly kind: 'found'; readonly id: number; readonly matches: readonly SearchMatch[] }
  | { readonly kind: 'settled'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string };

export interface ThreadData {
  readonly databasePath: string;
  readonly searchPath: string;
}

/** Undefined if it is not one of these messages. */
export function parseToThread(value: unknown): ToThread | undefined {
  if (!isObject(value)) return undefined;
  switch (value.kind) {
    case 'search':
      return isCount(value.id) && isRequest(value.request) ? (value as ToThread) : undefined;
    case 'settle':
      return isCount(value.id) ? (value as ToThread) : undefined;
    case 'hint':
      return isListOf(value.topicIds, isCount) ? (value as ToThread) : undefined;
    case 'close':
      return { kind: 'close' };
    default:
      return undefined;
  }
}

/** Undefined if it is not one of these messages. */
export function parseFromThread(value: unknown): FromThread | undefined {
  if (!isObject(value) || !isCount(value.id)) return undefined;
  switch (value.kind) {
    case 'found':
      return isListOf(value.matches, isMatch) ? (value as FromThread) : undefined;
    case 'settled':
      return value as FromThread;
    case 'failed':
      return typeof value.reason === 'string' ? (value as FromThread) : undefined;
    default:
      return undefined;
  }
}

export function parseThreadData(value: unknown): ThreadData | undefined {
  if (!isObject(value)) return undefined;
  const { databasePath, searchPath } = value;
  if (typeof databasePath !== 'string' || typeof searchPath !== 'string') return undefined;
  return { databasePath, searchPath };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isMatch(value: unknown): boolean {
  return isObject(value) && isCount(value.topicId) && isCount(value.seq);
}

function isRequest(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.text === 'string' &&
    isCount(value.limit) &&
    (value.topicId === undefined || isCount(value.topicId))
  );
}
