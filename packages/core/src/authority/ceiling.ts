/**
 * A run may do what both its session and the request that caused it may do. The second is its ceiling. Pure:
 * sessions/ceiling-of.ts finds out who asked.
 *
 *   request from                                     ceiling
 *   the person the session works for, or the owner   none
 *   another person                                   mode ask, no allow rules; reads ask in a workspace that is
 *                                                    not shared
 *   another session of the same person               its mode, its deny and ask rules, the allow rules it could
 *                                                    grant
 *   a session of another person                      as that person, and as that session
 *   an ancestor or descendant of the session         that of its run: an ancestor limits its descendants anyway
 *
 * All senders of a forwarded request limit it: `lowerCeiling` joins ceilings and never raises them. Sessions are read at
 * each call, so a lowered mode applies at once. The mode that was recorded with the request is the maximum, so a mode that
 * is raised later has no effect.
 */
import { type Ceiling, LIMITS, PERMISSION_MODES, type PermissionMode } from '@stoa/protocol';
import type { Policy } from '../permissions/decide.js';
import { inherit } from '../permissions/narrows.js';

/** The one of two modes that lets less run without an approval. */
export function lowerMode(one: PermissionMode, other: PermissionMode): PermissionMode {
  return PERMISSION_MODES.indexOf(one) <= PERMISSION_MODES.indexOf(other) ? one : other;
}

/** A ceiling that is as low as both. Undefined is no ceiling. */
export function lowerCeiling(
  one: Ceiling | undefined,
  other: Ceiling | undefined,
): Ceiling | undefined {
  if (!one || !other) return one ?? other;
  const sessions = union(one.sessions, other.sessions);
  const isTooLong = sessions.length > LIMITS.ceilingSessions;
  return {
    // Rules of sessions that do not fit would be lost, so only reading is allowed then.
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
  /** People who asked and whom the session does not work for. */
  readonly strangers: readonly string[];
  /** Whether the workspace of the session is open to them. */
  readonly isShared: boolean;
  /** The policies of the sessions that forwarded the request. */
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

/** Whether a policy under a further ceiling still lets exactly the same calls run without an approval. */
export function isNoLower(policy: Policy, capped: Policy): boolean {
  if (capped.mode !== policy.mode || capped.readsAsk !== policy.readsAsk) return false;
  // Private paths and rules of the configuration depend on who asked.
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

/** Adds the deny and ask rules of the sender, and keeps only allow rules that it could grant. */
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
