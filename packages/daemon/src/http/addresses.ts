const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
/** Addresses that mean all of them, and where to reach what listens there from the same machine. */
const EVERYWHERE: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
]);

/** Where a daemon that listens on this address is reached. */
export function urlOf(host: string, port: number): string {
  const name = nameOf(host);
  return `http://${EVERYWHERE.get(name) ?? name}:${String(port)}`;
}

/** The names under which a listening address can be reached; which others lead here it cannot know. */
export function hostsOf(host: string, port: number, extra: readonly string[]): string[] {
  const name = nameOf(host);
  const names = LOOPBACK.includes(name) || EVERYWHERE.has(name) ? LOOPBACK : [name];
  // Clients leave out the port that goes without saying.
  const bare = port === 80 ? names : [];
  return [...names.map((each) => `${each}:${String(port)}`), ...bare, ...extra];
}

/** As clients spell it in a URL: `::0` is `[::]`. */
function nameOf(host: string): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const url = `http://${name}`;
  return URL.canParse(url) ? new URL(url).hostname : name;
}
