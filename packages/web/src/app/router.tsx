import { type AnchorHTMLAttributes, type MouseEvent, useMemo, useSyncExternalStore } from 'react';
import { type Place, placeOf } from './routes.js';

const listeners = new Set<() => void>();
let visits = 0;
const tell = (): void => {
  for (const listener of listeners) listener();
};

/** `replace` for where one is led without having asked, so that Back does not lead there again. */
export function go(path: string, { replace = false } = {}): void {
  visits += 1;
  if (path !== location.pathname) {
    if (replace) history.replaceState(null, '', path);
    else history.pushState(null, '', path);
  }
  tell();
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}

/** Another number each time that one goes somewhere, also to where one is. */
export function useVisit(): number {
  return useSyncExternalStore(subscribe, () => visits);
}

export function usePlace(): Place {
  const path = usePath();
  return useMemo(() => placeOf(path), [path]);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('popstate', tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('popstate', tell);
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
