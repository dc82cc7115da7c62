import type { ErrorCode } from '@stoa/protocol';
import type { Operation } from '../operation.js';
import { decide } from './decide.js';
import type { ModelState } from './state.js';
import type { Asked } from './verdict.js';

type Post = Extract<Operation, { kind: 'post' }>;

/**
 * A post that brings assets is tried before they are stored, so that nothing is kept of one that is
 * refused. Says what it is refused with, if it is; one that was done before is not.
 */
export function rehearse(state: ModelState, asked: Asked<Post>): ErrorCode | undefined {
  const verdict = decide(state, asked);
  const isKnown =
    verdict.kind === 'replayed' ||
    (verdict.kind === 'refused' && verdict.code === 'idempotency_conflict');
  if (isKnown) return undefined;
  return (
    refusalOf(state, asked, (type) => type === 'text') ??
    refusalOf(state, asked, (type) => type !== 'inline_asset')
  );
}

/** Of the same post with only some of its items and without its key. */
function refusalOf(
  state: ModelState,
  asked: Asked<Post>,
  isTaken: (type: string) => boolean,
): ErrorCode | undefined {
  const { operation } = asked;
  const inputItems = operation.request.inputItems?.filter(({ type }) => isTaken(type)) ?? [];
  const request = { ...operation.request, inputItems };
  const verdict = decide(state, { ...asked, key: undefined, operation: { ...operation, request } });
  return verdict.kind === 'refused' ? verdict.code : undefined;
}
