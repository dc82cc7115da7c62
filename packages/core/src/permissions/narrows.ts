import { PERMISSION_MODES, type PermissionMode, type PermissionRules } from '@stoa/protocol';
import { mentionsProtected } from './protected-paths.js';
import { parseRule } from './rules.js';

/** What a session may do, or what a new sub-session is to be allowed. */
export interface Authority {
  readonly mode: PermissionMode;
  readonly rules: PermissionRules;
  /** What its paths are relative to. The workspace of a child is its parent's or inside it. */
  readonly workspace: string;
}

export type Narrowing = { readonly ok: true } | { readonly ok: false; readonly what: string };

const rank = (mode: PermissionMode): number => PERMISSION_MODES.indexOf(mode);

/**
 * Whether a child has no more authority than its parent: its mode allows no more, and each of its allow rules is a rule of the
 * parent or is covered by the parent's mode.
 */
export function narrows(parent: Authority, child: Authority): Narrowing {
  if (rank(child.mode) > rank(parent.mode)) {
    return { ok: false, what: `mode ${child.mode} goes further than ${parent.mode}` };
  }
  const more = child.rules.allow?.find((rule) => !canGrant(parent, rule, child.workspace));
  return more === undefined ? { ok: true } : { ok: false, what: `the allow rule ${more}` };
}

/** The authority of a child under the current authority of its parent. */
export function inherit(parent: Authority, child: Authority): Authority {
  const { allow, ...rest } = child.rules;
  const kept = allow?.filter((rule) => canGrant(parent, rule, child.workspace));
  return {
    ...child,
    mode: rank(child.mode) > rank(parent.mode) ? parent.mode : child.mode,
    rules: { ...rest, ...(kept && { allow: kept }) },
  };
}

function canGrant({ rules, mode, workspace }: Authority, rule: string, to: string): boolean {
  if (isWithinMode(rule, mode)) return true;
  // In another workspace the same relative pattern names other files.
  return rules.allow?.includes(rule) === true && (workspace === to || !isRelative(rule));
}

function isRelative(text: string): boolean {
  const rule = parseRule(text);
  return rule.ok && rule.pattern?.type === 'path' && rule.pattern.pattern.root === 'workspace';
}

/** Paths outside of the workspace need an approval in every mode, so no mode covers rules for them. */
function isWithinMode(text: string, mode: PermissionMode): boolean {
  const rule = parseRule(text);
  if (!rule.ok) return false;
  if (rule.pattern?.type === 'path' && rule.pattern.pattern.root !== 'workspace') return false;
  if (mode === 'full') return true;
  if (rule.tool === 'Read') return true;
  if (rule.tool !== 'Edit' || mode !== 'auto-edit') return false;
  // Protected paths need an approval below `full`.
  return rule.pattern?.type !== 'path' || !mentionsProtected(rule.pattern.pattern);
}
