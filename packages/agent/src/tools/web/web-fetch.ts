import { z } from 'zod';
import { type DecidedEnvironment, defineTool, type Tool, type ToolOutput } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';
import { type FetchPorts, fetchPage, type Page, PUBLIC_INTERNET, parseUrl } from './fetch-page.js';
import { htmlText } from './html-text.js';

const TIMEOUT_MS = 30_000;

const WebFetchInput = z.strictObject({
  url: z.string().min(1).max(8_192).describe('http or https address on the public internet'),
});

export interface WebFetchOptions {
  readonly ports?: FetchPorts;
}

export function createWebFetch({ ports = PUBLIC_INTERNET }: WebFetchOptions = {}): Tool {
  return defineTool({
    name: 'web_fetch',
    description:
      'Gets a page from the public internet and returns its text; HTML is converted to plain text. ' +
      'Sends nothing but the address.',
    input: WebFetchInput,
    kind: 'fetch',
    title: ({ url }) => `Fetch ${url}`,
    subjects: ({ url }) => [{ type: 'url', host: parseUrl(url).hostname }],
    execute: ({ url }, environment) => fetchText(parseUrl(url), environment, ports),
  });
}

async function fetchText(
  url: URL,
  { signal, allows }: DecidedEnvironment,
  ports: FetchPorts,
): Promise<ToolOutput> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const mayFollow = (to: URL): Promise<boolean> => allows({ type: 'url', host: to.hostname });
  try {
    const both = AbortSignal.any([signal, timeout]);
    const fetched = await fetchPage({ url, signal: both, ports, mayFollow });
    if (fetched.type === 'redirect') {
      return {
        text: `It redirects to another host: ${fetched.to.href}\nFetch that URL if you want it.`,
      };
    }
    return await show(fetched.page, both);
  } catch (error) {
    if (timeout.aborted && !signal.aborted) {
      throw new ToolFailure(`${url.host} did not answer within ${TIMEOUT_MS} ms`);
    }
    throw error;
  }
}

async function show(
  { url, status, contentType, body, isCut }: Page,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const [type = ''] = contentType.split(';');
  const media = type.trim().toLowerCase();
  if (!/^text\/|[/+](?:json|xml|javascript|yaml)$/.test(media)) {
    throw new ToolFailure(`${url.href} is ${media || 'of no known type'}, which is not text`);
  }
  const raw = decode(body, contentType);
  const text = /html/.test(media) ? await htmlText(raw, url, signal) : raw;
  const isError = status >= 400;
  const cut = isCut ? '\n[The page is longer; only its beginning is shown]' : '';
  return { text: `${url.href} (${status})\n\n${text}${cut}`, isError };
}

function decode(body: Buffer, contentType: string): string {
  const label = /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
