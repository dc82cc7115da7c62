import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskAgentFiles } from './agent-files.js';

let root: string;
let home: string;
let checkout: string;
let theirs: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-agent-files-')));
  home = join(root, '.stoa');
  checkout = join(root, 'checkout');
  theirs = join(checkout, '.stoa', 'agents');
  mkdirSync(join(home, 'agents'), { recursive: true });
  mkdirSync(theirs, { recursive: true });
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const ACP = '---\ndriver: { kind: acp, preset: qwen }\n---\n';
const PLAIN = '---\ndriver: { kind: builtin }\n---\n';

/** What was found, by id: where, and what is wrong with it. */
async function list(workspace: string, isTrusted = false) {
  const found = await new DiskAgentFiles(home, () => isTrusted).list(workspace);
  return found.map(({ agentId, path, ...rest }) => [
    agentId,
    path.slice(root.length + 1),
    'problem' in rest ? rest.problem : 'ready',
  ]);
}

describe('agents in files', () => {
  it('are read from both directories, regular files only', async () => {
    writeFileSync(join(home, 'agents', 'coder.md'), ACP);
    writeFileSync(join(theirs, 'Reviewer.md'), PLAIN);
    writeFileSync(join(theirs, 'notes.txt'), PLAIN);
    mkdirSync(join(theirs, 'folder.md'));
    expect(await list(checkout)).toEqual([
      ['reviewer', 'checkout/.stoa/agents/Reviewer.md', 'ready'],
      ['coder', '.stoa/agents/coder.md', 'ready'],
    ]);
  });

  it('may be links to files in the workspace, and to nothing else', async () => {
    writeFileSync(join(checkout, 'shared.md'), PLAIN);
    writeFileSync(join(home, 'agents', 'coder.md'), PLAIN);
    symlinkSync('../../shared.md', join(theirs, 'a.md'));
    symlinkSync(join(home, 'agents', 'coder.md'), join(theirs, 'b.md'));
    writeFileSync(join(root, 'outside.md'), PLAIN);
    symlinkSync(join(root, 'outside.md'), join(theirs, 'c.md'));
    symlinkSync('/dev/zero', join(theirs, 'd.md'));
    execFileSync('mkfifo', [join(theirs, 'e.md')]);
    writeFileSync(join(theirs, 'f.md'), `${PLAIN}${'x'.repeat(600_000)}`);
    const problems = (await list(checkout)).map(([agentId, , problem]) => [agentId, problem]);
    expect(problems).toEqual([
      ['a', 'ready'],
      ['b', expect.stringContaining('closed to agents')],
      ['c', expect.stringContaining('not below the workspace')],
      ['d', expect.stringContaining('not below the workspace')],
      ['e', expect.stringContaining('not a plain file')],
      ['f', 'The file is too large'],
      ['coder', 'ready'],
    ]);
  });

  it('of a workspace do not replace others with the same id, not even broken ones, unless it is trusted', async () => {
    writeFileSync(join(home, 'agents', 'coder.md'), PLAIN);
    writeFileSync(join(theirs, 'CODER.md'), PLAIN);
    writeFileSync(join(theirs, 'bad.md'), 'no front matter');
    writeFileSync(join(theirs, 'free.md'), '---\ndriver: { kind: builtin }\nmode: full\n---\n');
    const givingWay = async (isTrusted: boolean) => {
      const found = await new DiskAgentFiles(home, () => isTrusted).list(checkout);
      return found.filter(({ isUntrusted }) => isUntrusted === true).map(({ agentId }) => agentId);
    };
    expect(await givingWay(false)).toEqual(['coder', 'bad', 'free']);
    expect(await givingWay(true)).toEqual([]);
  });

  it('of the daemon may be links, and a pipe among them does not block', async () => {
    writeFileSync(join(root, 'dotfiles.md'), ACP);
    symlinkSync(join(root, 'dotfiles.md'), join(home, 'agents', 'a.md'));
    execFileSync('mkfifo', [join(home, 'agents', 'b.md')]);
    const problems = (await list(checkout)).map(([agentId, , problem]) => [agentId, problem]);
    expect(problems).toEqual([
      ['a', 'ready'],
      ['b', 'b.md is not a plain file'],
    ]);
  });

  it('of the daemon stay its own if its directory is in the workspace', async () => {
    writeFileSync(join(home, 'agents', 'coder.md'), ACP);
    expect(await list(root)).toEqual([['coder', '.stoa/agents/coder.md', 'ready']]);
  });

  it.each(['.stoa/agents', '.stoa'])(
    'of the daemon do not become those of a workspace by a link in folder of %s',
    async (folder) => {
      writeFileSync(join(home, 'agents', 'coder.md'), ACP);
      rmSync(join(checkout, folder), { recursive: true });
      symlinkSync(join(root, folder), join(checkout, folder));
      expect(await list(checkout)).toEqual([['coder', '.stoa/agents/coder.md', 'ready']]);
    },
  );
});
