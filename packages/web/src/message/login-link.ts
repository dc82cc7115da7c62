/** A login link of this daemon, under any of the names of this machine. In a message it is text, not a link. */
export function isLoginLink(url: URL, here: Pick<Location, 'hostname' | 'port'>): boolean {
  const isHere =
    url.port === here.port && (url.hostname === here.hostname || isLoopback(url.hostname));
  return isHere && /^\/+login\/*$/i.test(decoded(url.pathname));
}

const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname);

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
