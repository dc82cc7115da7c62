import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { InputItem } from '@stoa/protocol';
import { textOf } from '@stoa/protocol/constants';

/** The bound of the contract for one text item (`LIMITS.textChars`); longer text is several. */
export const TEXT_CHARS = 65_536;

/** What an editor puts into a prompt, as items of an inbox: text together, pictures and files apart. */
export function inputItemsOf(blocks: readonly ContentBlock[]): InputItem[] {
  const items: InputItem[] = [];
  let text = '';
  const flush = (): void => {
    items.push(...pieces(text).map((piece) => ({ type: 'text' as const, text: piece })));
    text = '';
  };
  for (const block of blocks) {
    const asset = assetOf(block);
    if (asset) {
      flush();
      items.push(asset);
    } else text += blockText(block);
  }
  flush();
  return items;
}

/** What the person wrote, without what the editor put beside it. */
export function writtenText(blocks: readonly ContentBlock[]): string {
  return textOf(blocks, '');
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.name}](${block.uri})`;
    case 'resource': {
      const { resource } = block;
      return 'text' in resource ? `\n\n${resource.uri}\n${fenced(resource.text)}\n` : '';
    }
    case 'image':
    case 'audio':
      return '';
  }
}

function assetOf(block: ContentBlock): InputItem | undefined {
  if (block.type === 'image') return { type: 'inline_asset', data: block.data };
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  const { blob, uri } = block.resource;
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  return { type: 'inline_asset', data: blob, ...(name === '' ? {} : { name }) };
}

/** The fence is longer than every one in the text: nothing in a file can pass for the person's words. */
export function fenced(text: string, language = ''): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

function pieces(text: string): string[] {
  const found: string[] = [];
  for (let rest = text; rest !== ''; ) {
    // A pair of surrogates is not cut.
    const isPair = /[\ud800-\udbff]/.test(rest.charAt(TEXT_CHARS - 1));
    const end = rest.length > TEXT_CHARS && isPair ? TEXT_CHARS - 1 : TEXT_CHARS;
    found.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return found;
}
