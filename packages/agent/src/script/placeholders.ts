import type { JsonValue } from '../json-value.js';

/** The values of placeholders. Placeholders are names, never code. */
export interface Scope {
  /** `${input}`, `${from}`, `${agent}`, `${message}`, `${round}`, `${injected}`, `${result}`, … */
  readonly values: Readonly<Record<string, string>>;
  /** `${match.1}`: the groups of `matches`. */
  readonly groups: readonly string[];
  /** `${results.NAME}`, `${results.NAME.outcome}`. */
  readonly results: ReadonlyMap<string, { readonly output: string; readonly outcome: string }>;
}

const PLACEHOLDER_NAMES = [
  'input',
  'from',
  'agent',
  'message',
  'round',
  'injected',
  'result',
  'outcome',
] as const;

/** `${last.message}`: the id of the last message in the thread of a turn. */
const LAST_PARTS = ['message', 'from', 'text'];

/** `$${` stands for `${` itself. */
const PLACEHOLDER = /\$\$\{|\$\{([^}]*)\}/g;

/** Why a placeholder of a text is invalid, or undefined. `known` are the names of earlier results. */
export function placeholderProblem(text: string, known: ReadonlySet<string>): string | undefined {
  for (const [whole, name] of text.matchAll(PLACEHOLDER)) {
    if (name === undefined) continue;
    const [first = '', second, third, ...rest] = name.split('.');
    if ((PLACEHOLDER_NAMES as readonly string[]).includes(first) && second === undefined) continue;
    if (first === 'last' && LAST_PARTS.includes(second ?? '') && third === undefined) continue;
    if (first === 'match' && /^\d{1,2}$/.test(second ?? '') && third === undefined) continue;
    if (first === 'results' && second !== undefined && rest.length === 0) {
      if (third !== undefined && third !== 'outcome') return `${whole}: a result has only outcome`;
      if (known.has(second)) continue;
      const names = known.size > 0 ? `; named so far: ${[...known].join(', ')}` : '';
      return `${whole}: no call before this one is named ${second}${names}`;
    }
    const all = [...PLACEHOLDER_NAMES, 'last.message', 'match.1', 'results.NAME'];
    return `${whole}: there is no such placeholder; there are ${all.join(', ')}`;
  }
  return undefined;
}

export function fill(text: string, scope: Scope): string {
  return text.replace(PLACEHOLDER, (whole: string, name: string | undefined) => {
    if (name === undefined) return '${';
    const [first = '', second = '', third] = name.split('.');
    if (first === 'match') return scope.groups[Number(second)] ?? '';
    if (first === 'last') return scope.values[name] ?? whole;
    if (first !== 'results') return scope.values[first] ?? whole;
    const result = scope.results.get(second);
    return (third === 'outcome' ? result?.outcome : result?.output) ?? '';
  });
}

/** Fills in every string of a value. */
export function fillJson(value: JsonValue, scope: Scope): JsonValue {
  if (typeof value === 'string') return fill(value, scope);
  if (Array.isArray(value)) return value.map((part) => fillJson(part, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, fillJson(part, scope)]),
  );
}
