import {
  PAGE_IDS,
  type PageId,
  type ParamName,
  type PathArgs,
  ROUTES,
  type Routes,
} from '@stoa/protocol/constants';

/** A page of the web UI with the parameters of its path, both from the route table. */
export type PageAddress = { [P in PageId]: AddressOf<P> }[PageId];
export type AddressOf<P extends PageId> = { readonly page: P } & {
  readonly [N in ParamName<Routes[P]['path']>]: string;
};

/** Undefined where the path is that of no page. */
export function pageAt(path: string): PageAddress | undefined {
  const parts = partsOf(path);
  for (const page of PAGE_IDS) {
    const pattern = partsOf(ROUTES[page].path);
    const isMatch = pattern.every((part, index) => part.startsWith(':') || part === parts[index]);
    if (!isMatch || pattern.length !== parts.length) continue;
    const params = pattern.flatMap((part, index) =>
      part.startsWith(':') ? [[part.slice(1), parts[index]]] : [],
    );
    return { page, ...Object.fromEntries(params) } as PageAddress;
  }
  return undefined;
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

type PathTo = { readonly [P in PageId]: (...params: PathArgs<Routes[P]['path']>) => string };

/** The path of each page: `pathTo.messagePage(channelId, messageId)`. */
export const pathTo = Object.fromEntries(
  PAGE_IDS.map((page) => [
    page,
    (...params: string[]) => ROUTES[page].path.replace(/:[a-zA-Z]+/g, () => params.shift() ?? ''),
  ]),
) as unknown as PathTo;
