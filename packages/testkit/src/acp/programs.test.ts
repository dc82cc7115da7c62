import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installProgram } from './programs.js';

describe('the real agent program of the tests', () => {
  let cache: string;
  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'stoa-cache-'));
  });
  afterEach(() => {
    rmSync(cache, { recursive: true, force: true });
  });

  const withoutNetwork = (ci: boolean): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: cache,
    XDG_CACHE_HOME: cache,
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_fetch_retries: '0',
    ...(ci ? { CI: 'true' } : {}),
  });

  it('R-40 if it cannot be fetched, the reason is reported and nothing of the attempt is left', async () => {
    const qwen = await installProgram('qwen', withoutNetwork(false));
    expect(qwen).toMatchObject({
      command: undefined,
      reason: expect.stringContaining('@qwen-code/qwen-code@0.15.10 cannot be fetched') as string,
    });
    expect(readdirSync(join(cache, 'stoa-tests'))).toEqual([]);
  });

  it('R-40 in continuous integration it must be available', async () => {
    await expect(installProgram('qwen', withoutNetwork(true))).rejects.toThrow('cannot be fetched');
  });
});
