import { types } from 'node:util';

/** Why a command is not waited for any more. */
export type AbortReason =
  /** It is ended. */
  | { readonly kind: 'cancel' }
  /** It goes on in the background. */
  | { readonly kind: 'background' };

const CANCEL: AbortReason = { kind: 'cancel' };

/**
 * Reads a reason that came through a signal, and that anybody may have put there. Only a plain own value
 * lets a command go on; whatever is anything else ends it. Nothing that could run code is touched.
 */
export function readAbortReason(reason: unknown): AbortReason {
  if (typeof reason !== 'object' || reason === null || types.isProxy(reason)) return CANCEL;
  const kind = Object.getOwnPropertyDescriptor(reason, 'kind');
  return kind !== undefined && 'value' in kind && kind.value === 'background'
    ? { kind: 'background' }
    : CANCEL;
}
