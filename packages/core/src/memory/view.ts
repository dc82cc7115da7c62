import type { ChannelRuntimeMemoryScope } from '@stoa/protocol';

/**
 * The part of a session's journal that a run may see: each isolated namespace is one part, and everything else is one
 * part.
 */
export function viewOf({ namespace, mode }: ChannelRuntimeMemoryScope): string {
  return mode === 'isolated' ? namespace : '';
}
