import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export type Edited =
  | { readonly type: 'edited'; readonly value: unknown }
  | { readonly type: 'unchanged' }
  | { readonly type: 'invalid'; readonly why: string };

/** Opens arguments in the person's editor. The file is theirs alone and is gone afterwards. */
export function editJson(value: unknown, editor: string): Edited {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-edit-'));
  const file = path.join(directory, 'arguments.json');
  const before = `${JSON.stringify(value, undefined, 2)}\n`;
  try {
    fs.writeFileSync(file, before, { mode: 0o600 });
    // Editors are often set with options: "code --wait".
    const { status, error } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], {
      stdio: 'inherit',
    });
    if (error || status !== 0) {
      return { type: 'invalid', why: `the editor failed: ${error?.message ?? String(status)}` };
    }
    const after = fs.readFileSync(file, 'utf8');
    return after === before ? { type: 'unchanged' } : parsed(after);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

export function parsed(text: string): Edited {
  try {
    return { type: 'edited', value: JSON.parse(text) as unknown };
  } catch (error) {
    return { type: 'invalid', why: `that is not JSON: ${(error as Error).message}` };
  }
}
