import { StoaProblem } from '../problem.js';

type Query = Readonly<Record<string, string | number | undefined>>;

/** Fills in a path of the contract; an id can neither leave its segment nor be empty. */
export function requestUrl(
  baseUrl: string,
  path: string,
  params: Readonly<Record<string, string>>,
  query: Query,
): string {
  const filled = path.replace(/:([a-zA-Z]+)/g, (_, name: string) =>
    segment(name, params[name] ?? ''),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const suffix = search.size > 0 ? `?${search.toString()}` : '';
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}${filled}${suffix}`;
}

function segment(name: string, value: string): string {
  try {
    if (!/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
  } catch {
    // A lone surrogate cannot be encoded and is not an id.
  }
  const issue = { path: name, message: 'is not an id' };
  throw new StoaProblem('invalid_request', 400, `${name} is not an id`, [issue]);
}
