import { useEffect, useEffectEvent } from 'react';

/**
 * The keys of an open dialog, which has the keyboard to itself wherever the focus is in it. Where text is
 * written only Escape is handled. A handler that uses a key returns true.
 */
export function useDialogKeys(take: (key: string) => boolean): void {
  const latest = useEffectEvent(take);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, target } = event;
      // One that is held down would answer what nobody has read.
      if (event.repeat && !key.startsWith('Arrow') && key !== 'j' && key !== 'k') return;
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const isInText =
        target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (isInText && key !== 'Escape') return;
      if (!latest(key)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', press, { capture: true });
    return () => window.removeEventListener('keydown', press, { capture: true });
  }, []);
}
