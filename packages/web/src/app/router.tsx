import { type AnchorHTMLAttributes, type MouseEvent, useMemo, useSyncExternalStore } from 'react';
import { isUnsaved, leave } from './leaving.js';
import { type PageAddress, pageAt } from './routes.js';

const listeners = new Set<() => void>();
let visits = 0;
const tell = (): void => {
  for (const listener of listeners) listener();
};

/** What is shown. The browser's Back has changed its address already when it tells of it. */
let shown = location.pathname;

/** `replace` for where one is led without having asked, so that Back does not lead there again. */
export function go(path: string, { replace = false } = {}): void {
  leave(() => goAnyway(path, { replace }));
}

/** Where nobody needs to be asked: what was written in a form here is done with. */
export function goAnyway(path: string, { replace = false } = {}): void {
  visits += 1;
  if (path !== location.pathname) {
    if (replace) history.replaceState(null, '', path);
    else history.pushState(null, '', path);
  }
  shown = path;
  tell();
}

function wentBack(): void {
  const path = location.pathname;
  if (isUnsaved()) {
    history.pushState(null, '', shown);
    leave(() => goAnyway(path));
    return;
  }
  shown = path;
  tell();
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}

/** Another number each time that one goes somewhere, also to where one is. */
export function useVisit(): number {
  return useSyncExternalStore(subscribe, () => visits);
}

export function usePage(): PageAddress | undefined {
  const path = usePath();
  return useMemo(() => pageAt(path), [path]);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('popstate', wentBack);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('popstate', wentBack);
  };
}

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { readonly to: string };

/** A link of the page: a plain click stays in it; with a modifier the browser does what it always does. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isPlain =
      event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    go(to);
  };
  return <a {...rest} href={to} onClick={follow} />;
}
