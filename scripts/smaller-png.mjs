// Browsers write pictures fast, not small. A page is flat, with a few colours and what lies between them at the edges of its
// letters: 256 of them are enough for a picture that cannot be told from the first, in a third of the size.
import { Buffer } from 'node:buffer';
import zlib from 'node:zlib';

const SIGNATURE = 8;
const CHANNELS = { 2: 3, 6: 4 };
const COLOURS = 256;
/** Two colours that are nearer than this, as a sum of squares, look the same. */
const ALIKE = 24;

/** Takes a PNG of eight bits a channel, in RGB or RGBA without transparency, as browsers write it. */
export function smallerPng(png) {
  const header = chunksOf(png).find(({ type }) => type === 'IHDR').data;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, kind, , , interlaced] = header.subarray(8);
  const channels = CHANNELS[kind];
  if (depth !== 8 || channels === undefined || interlaced !== 0) return png;
  const pixels = unfiltered(png, width, height, channels);
  const colours = [];
  for (let at = 0; at < pixels.length; at += channels) colours.push(pixels.readUIntBE(at, 3));
  const palette = paletteOf(colours);
  const places = new Map();
  const rows = Buffer.alloc(height * (1 + width));
  for (const [at, colour] of colours.entries()) {
    if (!places.has(colour)) places.set(colour, nearest(palette, colour).place);
    // The byte before each row says that it is stored as it is.
    rows[at + Math.floor(at / width) + 1] = places.get(colour);
  }
  const indexed = Buffer.from(header);
  indexed[9] = 3;
  const table = Buffer.alloc(palette.length * 3);
  for (const [place, colour] of palette.entries()) table.writeUIntBE(colour, place * 3, 3);
  return Buffer.concat([
    png.subarray(0, SIGNATURE),
    chunk('IHDR', indexed),
    chunk('PLTE', table),
    chunk('IDAT', zlib.deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The most frequent ones, but none beside another that looks the same. */
function paletteOf(colours) {
  const counts = new Map();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [];
  for (const [colour] of [...counts].sort(([, a], [, b]) => b - a)) {
    if (palette.length === COLOURS) break;
    if (nearest(palette, colour).distance >= ALIKE) palette.push(colour);
  }
  return palette;
}

function nearest(palette, colour) {
  let found = { place: -1, distance: Number.POSITIVE_INFINITY };
  for (const [place, other] of palette.entries()) {
    const distance = [16, 8, 0].reduce(
      (sum, bits) => sum + (((colour >> bits) & 255) - ((other >> bits) & 255)) ** 2,
      0,
    );
    if (distance < found.distance) found = { place, distance };
  }
  return found;
}

function chunksOf(png) {
  const chunks = [];
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function unfiltered(png, width, height, channels) {
  const parts = chunksOf(png).filter(({ type }) => type === 'IDAT');
  const rows = zlib.inflateSync(Buffer.concat(parts.map(({ data }) => data)));
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x < channels ? 0 : pixels[at - channels];
      const up = y === 0 ? 0 : pixels[at - stride];
      const corner = x < channels || y === 0 ? 0 : pixels[at - stride - channels];
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      pixels[at] = rows[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return pixels;
}

function paeth(left, up, corner) {
  const [a, b, c] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs);
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

// Node has it since 22.2; older ones are supported too.
function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
