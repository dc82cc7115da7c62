export function Kbd({ children }: { readonly children: string }) {
  return (
    <kbd className="rounded border border-line bg-panel px-1 font-mono text-[11px] text-soft">
      {children}
    </kbd>
  );
}

/** Keys, and what they do. */
export type KeyHint = readonly [keys: string, does: string];

/** Which keys there are in a dialog, in a line at its end; a narrow screen rarely has a keyboard. */
export function KeyHints({ hints }: { readonly hints: readonly KeyHint[] }) {
  return (
    <p className="hidden flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-1.5 text-xs text-faint wide:flex">
      {hints.map(([keys, does]) => (
        <span key={keys} className="flex items-center gap-1">
          <Kbd>{keys}</Kbd>
          {does}
        </span>
      ))}
    </p>
  );
}
