/**
 * The mounts of a sandbox, as arguments of bubblewrap. Everything is read-only except what is listed here. Mounts
 * are ordered from the root down, so that deeper mounts override:
 *
 *   writable    a directory or file that the program may change
 *   pinned      a directory between a writable one and a read-only path in it. It stays writable, but being a
 *               mount it cannot be renamed: otherwise a program could move it away and create another one,
 *               with its own hooks
 *   read-only   inside a writable directory
 *   hidden      an empty directory
 *   visible     a path in the system's temporary directory that stays visible, read-only
 *   masked      a socket that cannot be connected to
 */
import { dirname } from 'node:path';
import { isInside } from '../paths.js';

export type Temporary =
  /** That of the system, read-only. */
  | { readonly type: 'system' }
  /** Empty at the start and removed at the end. */
  | { readonly type: 'memory' }
  | { readonly type: 'directory'; readonly path: string };

/** All paths are absolute, with links resolved. */
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
  // A private temporary directory hides the system's, except for writable and visible paths in it.
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
    // Read-only, so that writes fail instead of getting lost.
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

/** Without --dev-bind, devices cannot be used. */
const bindOf = (path: string): string => (isInside(path, DEVICES) ? '--dev-bind' : '--bind');

/** Leaves out paths inside another one: a program could replace them by a link. */
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
