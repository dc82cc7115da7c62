import { Pace } from '../../pace.js';

/** Elements without readable text. */
const SILENT: ReadonlySet<string> = new Set([
  ...['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'head', 'title'],
]);
const BLOCK =
  /^(?:address|article|aside|blockquote|br|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;

/**
 * The text of an HTML page, with headings, list items and links. Accepts any input. Reads each part of the page
 * once, and yields the thread regularly.
 */
export async function htmlText(html: string, base: URL, signal?: AbortSignal): Promise<string> {
  const out: string[] = [];
  const pace = new Pace();
  const title = titleOf(html);
  if (title !== undefined) out.push(`# ${decodeEntities(title).trim()}\n\n`);
  let link: string | undefined;
  for (let at = 0; at < html.length; ) {
    if (pace.isDue) {
      await pace.rest();
      signal?.throwIfAborted();
    }
    const open = html.indexOf('<', at);
    const text = html.slice(at, open < 0 ? undefined : open);
    if (text !== '') out.push(decodeEntities(text).replace(/\s+/g, ' '));
    if (open < 0) break;
    const tag = readTag(html, open);
    at = tag.end;
    if (SILENT.has(tag.name) && !tag.isClosing) at = afterClosing(html, tag.name, tag.end);
    else if (tag.name === 'a') {
      if (tag.isClosing && link !== undefined) out.push(` (${link})`);
      link = tag.isClosing ? undefined : linkOf(tag.text, base);
    } else if (BLOCK.test(tag.name)) out.push(tag.isClosing ? '\n' : `\n${leadOf(tag.name)}`);
  }
  return tidy(out.join(''));
}

const TITLE_CHARS = 500;

function titleOf(html: string): string | undefined {
  const open = html.search(/<title/i);
  const end = open < 0 ? -1 : html.indexOf('>', open);
  return end < 0 ? undefined : html.slice(end + 1, end + 1 + TITLE_CHARS).split('<', 1)[0];
}

interface Tag {
  readonly name: string;
  readonly isClosing: boolean;
  readonly text: string;
  readonly end: number;
}

function readTag(html: string, open: number): Tag {
  if (html.startsWith('<!--', open)) {
    const close = html.indexOf('-->', open + 4);
    return { name: '', isClosing: false, text: '', end: close < 0 ? html.length : close + 3 };
  }
  const close = html.indexOf('>', open);
  const end = close < 0 ? html.length : close + 1;
  const text = html.slice(open + 1, close < 0 ? undefined : close).slice(0, TAG_CHARS);
  const name = /^\/?([a-z][a-z0-9]*)/i.exec(text)?.[1]?.toLowerCase() ?? '';
  return { name, isClosing: text.startsWith('/'), text, end };
}

const TAG_CHARS = 4_096;

function afterClosing(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}\\b`, 'gi');
  closing.lastIndex = from;
  const end = closing.test(html) ? html.indexOf('>', closing.lastIndex) : -1;
  return end < 0 ? html.length : end + 1;
}

function linkOf(tag: string, base: URL): string | undefined {
  const found = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag);
  const href = decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim();
  if (href === '' || href.startsWith('#')) return undefined;
  try {
    const url = new URL(href, base);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function leadOf(name: string): string {
  if (/^h[1-6]$/.test(name)) return `\n${'#'.repeat(Number(name[1]))} `;
  return name === 'li' ? '- ' : name === 'p' ? '\n' : '';
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  laquo: '«',
  raquo: '»',
  rsquo: '’',
  lsquo: '‘',
  rdquo: '”',
  ldquo: '“',
};

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (all, dec, hex, name) => {
    if (typeof name === 'string') return ENTITIES[name.toLowerCase()] ?? all;
    const code = typeof dec === 'string' ? Number(dec) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
