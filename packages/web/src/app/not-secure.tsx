import { Empty } from '../ui/empty.js';

/** A browser gives a page no keys where others could have changed the page on its way. */
export function NotSecure() {
  return (
    <main className="flex h-dvh">
      <Empty title="This address is not secure">
        The web UI works at https addresses, and on the machine of the daemon at{' '}
        <code className="rounded bg-code px-1 font-mono">http://127.0.0.1</code>. Elsewhere put a
        proxy with TLS in front of the daemon and list its name in{' '}
        <code className="rounded bg-code px-1 font-mono">allowedHosts</code>.
      </Empty>
    </main>
  );
}
