/**
 * What a run may do is the lower of two things: what its session may do, and what the request that led to it
 * may cause. The second is its ceiling. Pure: who asked is looked up in ceiling-of.ts.
 *
 *   request from                                     ceiling
 *   the person the session works for, or the owner   none
 *   another person                                   mode ask, no allow rules; reads ask in a workspace that is
 *                                                    not shared
 *   another session of the same person               its mode, its deny and ask rules, the allow rules it could
 *                                                    hand on
 *   a session of another person                      as that person, and as that session
 *   a session below or above the receiving one       that of its run: what it started stays under it anyway
 *
 * A request that passes through several hands is bound by all of them: ceilings are joined by `lowerCeiling` and
 * never raised. Sessions are looked up at each call, so lowering a mode acts at once; the mode that was
 * recorded with the request is the most they give, so raising one later adds nothing.
 */
import { type Ceiling, LIMITS, PermissionMode } from '@stoa/protocol';
import type { Policy } from '../permissions/decide.js';
import { inherit } from '../permissions/narrows.js';

const MODES = PermissionMode.options;

/** The one of two modes that lets less run without asking. */
export function lowerMode(one: PermissionMode, other: PermissionMode): PermissionMode {
  return MODES.indexOf(one) <= MODES.indexOf(other) ? one : other;
}

/** Both bind. Undefined is no ceiling at all. */
export function lowerCeiling(
  one: Ceiling | undefined,
  other: Ceiling | undefined,
): Ceiling | undefined {
  if (!one || !other) return one ?? other;
  const sessions = union(one.sessions, other.sessions);
  const isTooLong = sessions.length > LIMITS.ceilingSessions;
  return {
    // The rules of sessions that are left out would not bind: nothing but reading is left then.
    mode: isTooLong ? 'plan' : lowerMode(one.mode, other.mode),
    people: union(one.people, other.people).slice(0, LIMITS.ceilingPeople),
    sessions: sessions.slice(0, LIMITS.ceilingSessions),
  };
}

export function isSameCeiling(one: Ceiling | undefined, other: Ceiling | undefined): boolean {
  if (!one || !other) return one === other;
  return (
    one.mode === other.mode &&
    isSameSet(one.people, other.people) &&
    isSameSet(one.sessions, other.sessions)
  );
}

export interface Requesters {
  /** People among those who asked whom the session does not work for. */
  readonly strangers: readonly string[];
  /** Whether the workspace of the session is open to them. */
  readonly isShared: boolean;
  /** What the sessions that passed the request on may do themselves, with their workspaces. */
  readonly senders: readonly Policy[];
}

/** A policy under a ceiling. */
export function capPolicy(
  policy: Policy,
  ceiling: Ceiling,
  { strangers, isShared, senders }: Requesters,
): Policy {
  const below = senders.reduce(underSender, policy);
  const mode = lowerMode(below.mode, ceiling.mode);
  if (strangers.length === 0) return { ...below, mode };
  return {
    ...below,
    mode: lowerMode(mode, 'ask'),
    rules: below.rules.map(({ rules: { allow: _, ...closing }, ...source }) => ({
      ...source,
      rules: closing,
    })),
    requestedBy: strangers,
    ...(isShared ? {} : { readsAsk: true }),
  };
}

/** Whether a policy under a further ceiling lets exactly the same run unasked. */
export function isNoLower(policy: Policy, capped: Policy): boolean {
  if (capped.mode !== policy.mode || capped.readsAsk !== policy.readsAsk) return false;
  // What is private, and rules of the configuration, depend on who asked.
  if (!isSameSet(policy.requestedBy ?? [], capped.requestedBy ?? [])) return false;
  const before = rulesIn(policy);
  const after = rulesIn(capped);
  return (
    [...after].every((rule) => before.has(rule) || rule.startsWith('allow')) &&
    [...before].every((rule) => after.has(rule))
  );
}

function rulesIn({ rules, workspace: own }: Policy): ReadonlySet<string> {
  return new Set(
    rules.flatMap(({ rules: lists, workspace = own }) =>
      (['deny', 'ask', 'allow'] as const).flatMap((name) =>
        (lists[name] ?? []).map((rule) => `${name} ${workspace} ${rule}`),
      ),
    ),
  );
}

/** What the sender denies or asks about is denied and asked about here; it opens nothing it could not hand on. */
function underSender(policy: Policy, sender: Policy): Policy {
  const allow = sender.rules.flatMap(({ rules }) => rules.allow ?? []);
  const above = { mode: sender.mode, rules: { allow }, workspace: sender.workspace };
  const kept = policy.rules.map(({ source, rules, workspace = policy.workspace }) => ({
    source,
    workspace,
    rules: inherit(above, { mode: policy.mode, rules, workspace }).rules,
  }));
  const closing = sender.rules.map(({ rules: { deny, ask }, workspace = sender.workspace }) => ({
    source: 'sender' as const,
    workspace,
    rules: { ...(deny && { deny }), ...(ask && { ask }) },
  }));
  return { ...policy, mode: lowerMode(policy.mode, sender.mode), rules: [...kept, ...closing] };
}

const union = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([...one, ...other]),
];

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item) => other.includes(item));
