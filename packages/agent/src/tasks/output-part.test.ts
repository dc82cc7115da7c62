import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readOutputPart } from './output-part.js';

it('T-14 an offset past the end returns the size of the output', async () => {
  const root = await fs.mkdtemp(join(tmpdir(), 'stoa-part-'));
  try {
    const path = join(root, 'output');
    await fs.writeFile(path, 'abcdef');
    for (const offset of [6, 7, 10_000_000, Number.MAX_SAFE_INTEGER]) {
      const part = await readOutputPart(path, { offset, limit: 4 }, false);
      expect(part).toMatchObject({ offset, nextOffset: offset, size: 6, text: '' });
    }
  } finally {
    await fs.rm(root, { recursive: true });
  }
});

it('T-14 output is returned as text that is cut between characters, and none of it twice', async () => {
  const root = await fs.mkdtemp(join(tmpdir(), 'stoa-part-'));
  try {
    const path = join(root, 'output');
    const whole = 'aä€😀'.repeat(50);
    await fs.writeFile(path, whole);
    for (const limit of [1, 2, 3, 4, 5, 7, 64]) {
      let [text, offset, reads] = ['', 0, 0];
      for (;;) {
        const part = await readOutputPart(path, { offset, limit }, false);
        expect(part.offset).toBe(offset);
        if (part.nextOffset === offset) break;
        text += part.text;
        offset = part.nextOffset;
        reads += 1;
      }
      expect(offset).toBe(Buffer.byteLength(whole));
      expect(reads).toBeGreaterThan(1);
      // A smaller limit splits characters.
      if (limit >= 4) expect(text).toBe(whole);
    }
    await fs.appendFile(path, Buffer.from('€').subarray(0, 2));
    const size = Buffer.byteLength(whole);
    const range = { offset: size, limit: 10 };
    const incomplete = await readOutputPart(path, range, false);
    expect(incomplete).toMatchObject({ nextOffset: size, size: size + 2, text: '' });
    // The command has ended, so the incomplete character is returned.
    expect(await readOutputPart(path, range, true)).toMatchObject({ nextOffset: size + 2 });
  } finally {
    await fs.rm(root, { recursive: true });
  }
});
