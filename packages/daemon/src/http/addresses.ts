const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
/** Wildcard addresses, and how to reach them from the same machine. */
const EVERYWHERE: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
]);

/** The URL of a daemon that listens on this address. */
export function urlOf(host: string, port: number): string {
  const name = nameOf(host);
  return `http://${EVERYWHERE.get(name) ?? name}:${String(port)}`;
}

/** The known names of a listening address; others may exist. */
export function hostsOf(host: string, port: number, extra: readonly string[]): string[] {
  const name = nameOf(host);
  const names = LOOPBACK.includes(name) || EVERYWHERE.has(name) ? LOOPBACK : [name];
  // Clients omit the default port.
  const bare = port === 80 ? names : [];
  return [...names.map((each) => `${each}:${String(port)}`), ...bare, ...extra];
}

/** The spelling of clients in a URL: `::0` is `[::]`. */
function nameOf(host: string): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const url = `http://${name}`;
  return URL.canParse(url) ? new URL(url).hostname : name;
}
