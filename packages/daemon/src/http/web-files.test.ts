import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebFiles } from './web-files.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'stoa-web-files-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const write = (name: string, text: string): void => {
  writeFileSync(join(directory, name), text);
};

describe('the files of the web UI', () => {
  it('are available only when all of them are complete', async () => {
    const files = new WebFiles(directory);
    expect(files.page()).toBeUndefined();
    mkdirSync(join(directory, 'assets'));
    write('assets/index-1.js', 'half of');
    write('index.html', 'the page');
    expect(files.page()).toBeUndefined();
    expect(await files.asset('index-1.js', false)).toBeUndefined();
    write('assets/index-1.js', 'all of it');
    write('.build-stamp', 'one');
    expect(files.page()?.toString()).toBe('the page');
    expect((await files.asset('index-1.js', false))?.bytes.toString()).toBe('all of it');
  });

  it('stay those of this daemon when a new build replaces them', async () => {
    mkdirSync(join(directory, 'assets'));
    write('assets/index-1.js', 'one');
    write('index.html', 'page one');
    write('.build-stamp', 'one');
    const files = new WebFiles(directory);
    expect(files.page()?.toString()).toBe('page one');
    rmSync(join(directory, 'assets/index-1.js'));
    write('index.html', 'page two');
    write('.build-stamp', 'two');
    expect(files.page()?.toString()).toBe('page one');
    expect((await files.asset('index-1.js', false))?.bytes.toString()).toBe('one');
    expect(await files.asset('../index.html', false)).toBeUndefined();
  });
});
