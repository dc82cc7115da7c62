import { isUtf8 } from 'node:buffer';

const MAGIC: readonly (readonly [mediaType: string, offset: number, bytes: string])[] = [
  ['image/png', 0, '89504e470d0a1a0a'],
  ['image/jpeg', 0, 'ffd8ff'],
  ['image/gif', 0, '47494638'],
  ['image/webp', 8, '57454250'],
  ['application/pdf', 0, '255044462d'],
  ['application/zip', 0, '504b0304'],
  ['application/gzip', 0, '1f8b'],
  ['video/mp4', 4, '66747970'],
  ['audio/mpeg', 0, '494433'],
  ['audio/ogg', 0, '4f676753'],
];

/**
 * The media type of the bytes, regardless of what the caller claims. Markup counts as plain text, so that nothing of
 * it runs.
 */
export function sniffMediaType(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('hex');
  for (const [mediaType, offset, magic] of MAGIC) {
    if (head.startsWith(magic, offset * 2)) return mediaType;
  }
  return isUtf8(bytes) && !bytes.includes(0)
    ? 'text/plain; charset=utf-8'
    : 'application/octet-stream';
}
