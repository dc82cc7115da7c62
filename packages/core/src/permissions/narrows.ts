import { PermissionMode, type PermissionRules } from '@stoa/protocol';
import { mentionsProtected } from './protected-paths.js';
import { parseRule } from './rules.js';

/** What a session may do, or what is asked for one that it starts. */
export interface Authority {
  readonly mode: PermissionMode;
  readonly rules: PermissionRules;
  /** Where its paths begin: that of a child is its parent's or lies in it. */
  readonly workspace: string;
}

export type Narrowing = { readonly ok: true } | { readonly ok: false; readonly what: string };

/** From the least to the most. */
const MODES = PermissionMode.options;
const reach = (mode: PermissionMode): number => MODES.indexOf(mode);

/**
 * Whether a child asks for no more than its parent has: a mode that goes no further, and no allow
 * rule that is not the parent's own or part of what the parent's mode allows by itself.
 */
export function narrows(parent: Authority, child: Authority): Narrowing {
  if (reach(child.mode) > reach(parent.mode)) {
    return { ok: false, what: `mode ${child.mode} goes further than ${parent.mode}` };
  }
  const more = child.rules.allow?.find((rule) => !canHandOn(parent, rule, child.workspace));
  return more === undefined ? { ok: true } : { ok: false, what: `the allow rule ${more}` };
}

/** What a child has left of its own under a parent that may have changed since it was made. */
export function inherit(parent: Authority, child: Authority): Authority {
  const { allow, ...rest } = child.rules;
  const kept = allow?.filter((rule) => canHandOn(parent, rule, child.workspace));
  return {
    ...child,
    mode: reach(child.mode) > reach(parent.mode) ? parent.mode : child.mode,
    rules: { ...rest, ...(kept && { allow: kept }) },
  };
}

function canHandOn({ rules, mode, workspace }: Authority, rule: string, to: string): boolean {
  if (isWithinMode(rule, mode)) return true;
  // The same words are about other files where paths begin elsewhere.
  return rules.allow?.includes(rule) === true && (workspace === to || !isRelative(rule));
}

function isRelative(text: string): boolean {
  const rule = parseRule(text);
  return rule.ok && rule.pattern?.type === 'path' && rule.pattern.pattern.root === 'workspace';
}

/** Paths outside the workspace are asked about in every mode: rules for them are never part of one. */
function isWithinMode(text: string, mode: PermissionMode): boolean {
  const rule = parseRule(text);
  if (!rule.ok) return false;
  if (rule.pattern?.type === 'path' && rule.pattern.pattern.root !== 'workspace') return false;
  if (mode === 'full') return true;
  if (rule.tool === 'Read') return true;
  if (rule.tool !== 'Edit' || mode !== 'auto-edit') return false;
  // Protected paths are asked about below full.
  return rule.pattern?.type !== 'path' || !mentionsProtected(rule.pattern.pattern);
}
