import { ConnectionState } from './connection-state.js';

/** What goes on besides the conversation, in one line. Each part is a component that may show nothing. */
export function StatusBar() {
  return (
    <footer
      aria-label="Status"
      className="flex h-7 shrink-0 items-center gap-4 border-t border-line bg-panel px-3 text-xs text-soft"
    >
      <div className="grow" />
      <ConnectionState />
    </footer>
  );
}
