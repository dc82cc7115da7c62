import { matchesWildcard, type Wildcard } from './wildcard.js';

/** The directories that path patterns are relative to. */
export interface PathRoots {
  /** Absolute, with links resolved. */
  readonly workspace: string;
  /** The directory of `~`. */
  readonly userHome?: string;
}

/**
 * The pattern of `Read(…)` and `Edit(…)`.
 *
 *   src/**       everything below src in the workspace, at any depth
 *   docs/*.md    a star stays within one name; a question mark is one character
 *   *.md         without a slash: a file of that name anywhere in the workspace
 *   ./a.md       only in the workspace itself
 *   /etc/hosts   an absolute path
 *   ~/notes/**   in the home directory of the user who runs the daemon
 *
 * A backslash escapes the character after it. Names with a leading dot are not special. `..` is not accepted.
 */
export interface PathPattern {
  readonly root: 'workspace' | 'home' | '/';
  readonly segments: readonly Segment[];
}

const ANY_DEPTH = '**';
type Segment = typeof ANY_DEPTH | readonly SegmentPiece[];
/** A character, any one character, or any run of them. */
type SegmentPiece = { readonly is: string } | 'one' | 'any';

export function parsePathPattern(text: string): PathPattern | { readonly problem: string } {
  if (text === '') return { problem: 'the pattern is empty' };
  if (/(?<!\\)(?:\\\\)*\\(?:\/|$)/.test(text)) return { problem: 'nothing follows a backslash' };
  const root = text.startsWith('/') ? '/' : /^~(?:\/|$)/.test(text) ? 'home' : 'workspace';
  const body = root === 'home' ? text.slice(1) : text;
  const names = body.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) return { problem: '".." in a pattern is not accepted' };
  if (root === 'workspace' && text.startsWith('~')) {
    return { problem: '"~" of another user is not supported; write \\~ for a name' };
  }
  if (names.length === 0 && root === 'workspace' && !text.startsWith('.')) {
    return { problem: 'the pattern is empty' };
  }
  const segments = names.map(parseSegment);
  const anywhere = root === 'workspace' && !text.includes('/') && text !== '.';
  return { root, segments: anywhere ? [ANY_DEPTH, ...segments] : segments };
}

function parseSegment(name: string): Segment {
  if (name === ANY_DEPTH) return ANY_DEPTH;
  const pieces: SegmentPiece[] = [];
  for (let at = 0; at < name.length; at += 1) {
    const character = name.charAt(at);
    if (character === '*') pieces.push('any');
    else if (character === '?') pieces.push('one');
    else if (character === '\\') {
      at += 1;
      pieces.push({ is: name.charAt(at) });
    } else pieces.push({ is: character });
  }
  return pieces;
}

/** Whether a path has been resolved. Other paths are denied. */
export function isResolved(path: string): boolean {
  if (!path.startsWith('/') || path.includes('\0')) return false;
  if (path === '/') return true;
  return path
    .slice(1)
    .split('/')
    .every((name) => name !== '' && name !== '.' && name !== '..');
}

/** Whether the pattern matches this path; undefined if the root of the pattern is unknown. */
export function matchesPath(
  pattern: PathPattern,
  path: string,
  roots: PathRoots,
): boolean | undefined {
  const names = below(pattern, path, roots);
  if (names === undefined) return undefined;
  return names !== 'elsewhere' && matchesSegments(pattern.segments, names);
}

/** As `matchesPath`, and also matches everything below a path that the pattern names. */
export function covers(pattern: PathPattern, path: string, roots: PathRoots): boolean | undefined {
  const names = below(pattern, path, roots);
  if (names === undefined) return undefined;
  return names !== 'elsewhere' && matchesSegments([...pattern.segments, ANY_DEPTH], names);
}

function below(
  { root }: PathPattern,
  path: string,
  { workspace, userHome }: PathRoots,
): readonly string[] | 'elsewhere' | undefined {
  const from = root === '/' ? '/' : root === 'home' ? userHome : workspace;
  if (from === undefined || !isResolved(from)) return undefined;
  const base = namesOf(from);
  const names = namesOf(path);
  return base.every((name, index) => names[index] === name)
    ? names.slice(base.length)
    : 'elsewhere';
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}

/** Tracks all positions that `**` could have reached, so the time is polynomial, not exponential. */
function matchesSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const segment of segments) {
    const next = new Set<number>();
    if (segment === ANY_DEPTH) {
      const first = Math.min(...reached);
      for (let at = first; at <= names.length; at += 1) next.add(at);
    } else {
      for (const at of reached) {
        const name = names[at];
        if (name !== undefined && matchesName(segment, name)) next.add(at + 1);
      }
    }
    if (next.size === 0) return false;
    reached = next;
  }
  return reached.has(names.length);
}

function matchesName(pieces: readonly SegmentPiece[], name: string): boolean {
  if (!pieces.includes('one')) return matchesWildcard(pieces.map(characterOf), name);
  let reached = new Set([0]);
  for (const piece of pieces) {
    const next = new Set<number>();
    if (piece === 'any') {
      for (let at = Math.min(...reached); at <= name.length; at += 1) next.add(at);
    } else {
      for (const at of reached) {
        const here = name[at];
        if (here !== undefined && (piece === 'one' || piece.is === here)) next.add(at + 1);
      }
    }
    if (next.size === 0) return false;
    reached = next;
  }
  return reached.has(name.length);
}

function characterOf(piece: SegmentPiece): Wildcard[number] {
  return typeof piece === 'object' ? piece.is : undefined;
}

/** The names in a pattern that contain no wildcard. */
export function literalNames({ segments }: PathPattern): readonly string[] {
  return segments.flatMap((segment) => {
    if (segment === ANY_DEPTH) return [];
    const letters = segment.flatMap((piece) => (typeof piece === 'object' ? [piece.is] : []));
    return letters.length === segment.length ? [letters.join('')] : [];
  });
}

const SPECIAL = /[\\*?]/g;

/** The pattern that matches exactly this path. */
export function patternFor(path: string, { workspace }: PathRoots): string {
  const escaped = path.replaceAll(SPECIAL, '\\$&');
  const base = workspace === '/' ? '/' : `${workspace}/`;
  if (!isResolved(workspace) || !path.startsWith(base)) return escaped;
  return `./${path.slice(base.length).replaceAll(SPECIAL, '\\$&')}`;
}
