import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeBlocks } from './code-blocks.js';

/** The relative links of a document whose file or heading does not exist. */
export function brokenLinks(file: string): string[] {
  return linksIn(readFileSync(file, 'utf8')).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : resolve(dirname(file), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsIn(readFileSync(target, 'utf8')).has(anchor);
  });
}

function linksIn(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
}

/** Headings become anchors as on the usual hosts: lower case, hyphens for spaces, no punctuation. */
function anchorsIn(markdown: string): Set<string> {
  const headings = [...withoutCode(markdown).matchAll(/^#+ (.*)$/gm)];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );
}

function withoutCode(markdown: string): string {
  let text = markdown;
  for (const block of codeBlocks(markdown)) text = text.replace(block.text, '');
  return text;
}
