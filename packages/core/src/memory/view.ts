import type { ChannelRuntimeMemoryScope } from '@stoa/protocol';

/**
 * Which part of a session's journal belongs together: all that was said where nothing is held apart is
 * one part, and every isolated namespace is one of its own. A run is shown its own part and no other.
 */
export function viewOf({ namespace, mode }: ChannelRuntimeMemoryScope): string {
  return mode === 'isolated' ? namespace : '';
}
