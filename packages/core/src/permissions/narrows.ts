import { PermissionMode, type PermissionRules } from '@stoa/protocol';
import { extendRules, parseRule } from './rules.js';

/** What a session may do, or what is asked for one that it starts. */
export interface Authority {
  readonly mode: PermissionMode;
  readonly rules: PermissionRules;
}

export type Narrowing = { readonly ok: true } | { readonly ok: false; readonly what: string };

/** From the least to the most. */
const MODES = PermissionMode.options;

/**
 * Whether a child asks for no more than its parent has: a mode that goes no further, and no allow
 * rule that is not the parent's own or part of what the parent's mode allows by itself.
 */
export function narrows(parent: Authority, child: Authority): Narrowing {
  if (MODES.indexOf(child.mode) > MODES.indexOf(parent.mode)) {
    return { ok: false, what: `mode ${child.mode} goes further than ${parent.mode}` };
  }
  const owned = new Set(parent.rules.allow);
  const more = child.rules.allow?.find(
    (rule) => !owned.has(rule) && !isWithinMode(rule, parent.mode),
  );
  return more === undefined ? { ok: true } : { ok: false, what: `the allow rule ${more}` };
}

/** What a child that narrows runs with: its parent's deny and ask rules stay, its allow rules are its own. */
export function inherit(parent: Authority, child: Authority): Authority {
  const { deny, ask } = parent.rules;
  const kept: PermissionRules = { ...(deny && { deny }), ...(ask && { ask }) };
  return { mode: child.mode, rules: extendRules(kept, child.rules) };
}

/** Paths outside the workspace are asked about in every mode: rules for them are never part of one. */
function isWithinMode(text: string, mode: PermissionMode): boolean {
  const rule = parseRule(text);
  if (!rule.ok) return false;
  if (rule.pattern?.type === 'path' && rule.pattern.pattern.root !== 'workspace') return false;
  if (mode === 'full') return true;
  return rule.tool === 'Read' || (rule.tool === 'Edit' && mode === 'auto-edit');
}
