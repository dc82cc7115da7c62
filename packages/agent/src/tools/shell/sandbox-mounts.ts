/**
 * What a program in the sandbox sees, as arguments of bubblewrap. Everything is read-only but what is
 * named here. Mounts are made from the root down, so that what lies deeper is decided last:
 *
 *   writable    a directory or file that the program may change
 *   pinned      a directory between a writable one and a read-only path in it. It stays writable, but
 *               being a mount it cannot be renamed: otherwise a program would move it away and make
 *               another, with hooks of its own
 *   read-only   inside a writable directory
 *   hidden      an empty directory
 *   visible     a path in the temporary directory of the system that stays there, read-only
 *   masked      a socket that cannot be connected to
 */
import { dirname } from 'node:path';
import { isInside } from '../paths.js';

export type Temporary =
  /** The programs see the one of the system, and cannot write there. */
  | { readonly type: 'system' }
  /** Empty at the start, and gone at the end. */
  | { readonly type: 'memory' }
  | { readonly type: 'directory'; readonly path: string };

/** All paths are absolute, with links followed. */
export interface Mounts {
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
  readonly hidden: readonly string[];
  readonly visible: readonly string[];
  readonly masked: readonly string[];
  readonly temporary: Temporary;
  readonly processes: 'separate' | 'shared';
}

const TEMPORARY = '/tmp';
const DEVICES = '/dev';

export function mountArguments(wanted: Mounts): string[] {
  const { writable, readOnly, hidden, visible, masked, temporary, processes } = wanted;
  const open = outermost(writable).filter((path) => !hidden.some((one) => isInside(path, one)));
  const isPrivate = temporary.type !== 'system' && !open.includes(TEMPORARY);
  const isOpen = (path: string): boolean => open.some((one) => isInside(path, one));
  const isShown = (path: string): boolean =>
    isPrivate &&
    path !== TEMPORARY &&
    isInside(path, TEMPORARY) &&
    !isOpen(path) &&
    !hidden.some((one) => isInside(path, one));
  const shown = outermost(visible.filter(isShown));
  // What lies in a temporary directory that is replaced is not seen unless it is writable or stays visible.
  const isSeen = (path: string): boolean =>
    !isPrivate ||
    !isInside(path, TEMPORARY) ||
    [...open, ...shown].some((one) => isInside(path, one));
  const closed = [...new Set(readOnly)].filter(isOpen);
  const mounts = [
    mount(DEVICES, ['--dev', DEVICES]),
    ...(processes === 'separate' ? [mount('/proc', ['--unshare-pid', '--proc', '/proc'])] : []),
    ...(isPrivate ? [mountOfTemporary(temporary)] : []),
    ...shown.map((path) => mount(path, ['--ro-bind', path, path])),
    ...open.map((path) => mount(path, [bindOf(path), path, path])),
    ...pinned(open, closed).map((path) => mount(path, ['--bind', path, path])),
    ...closed.map((path) => mount(path, ['--ro-bind', path, path])),
    // Read-only, so that writing there fails instead of vanishing.
    ...hidden.filter(isSeen).map((path) => mount(path, ['--tmpfs', path, '--remount-ro', path])),
    ...masked
      .filter((path) => !isOpen(path))
      .map((path) => mount(path, ['--ro-bind', '/dev/null', path])),
  ];
  const inOrder = mounts.sort((a, b) => a.depth - b.depth);
  return ['--ro-bind', '/', '/', ...inOrder.flatMap(({ words }) => words)];
}

interface Mount {
  readonly depth: number;
  readonly words: readonly string[];
}

function mount(path: string, words: readonly string[]): Mount {
  return { depth: path.split('/').filter((name) => name !== '').length, words };
}

function mountOfTemporary(temporary: Temporary): Mount {
  return temporary.type === 'directory'
    ? mount(TEMPORARY, ['--bind', temporary.path, TEMPORARY])
    : mount(TEMPORARY, ['--tmpfs', TEMPORARY]);
}

/** Only this way the devices in it can be used. */
const bindOf = (path: string): string => (isInside(path, DEVICES) ? '--dev-bind' : '--bind');

/** Without those that lie in another one: a program could put a link in their place. */
function outermost(paths: readonly string[]): string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => other !== path && isInside(path, other)));
}

function pinned(open: readonly string[], closed: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of closed) {
    const root = open.find((one) => isInside(path, one)) ?? path;
    for (let at = dirname(path); isInside(at, root) && at !== root; at = dirname(at)) found.add(at);
  }
  return [...found].filter((path) => !closed.includes(path));
}
