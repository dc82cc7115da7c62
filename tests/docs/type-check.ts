import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './documents.js';

/** What the compiler says about programs, with the settings of this repository; one line an error. */
export function typeErrors(programs: ReadonlyMap<string, string>): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-docs-types-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.base.json'),
        compilerOptions: {
          composite: false,
          noEmit: true,
          declaration: false,
          declarationMap: false,
        },
        include: ['*.ts'],
      }),
    );
    for (const [name, text] of programs) writeFileSync(join(directory, `${name}.ts`), text);
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', directory, '--pretty', 'false'],
      { cwd: directory, encoding: 'utf8' },
    );
    return `${stdout}${stderr}`.split('\n').filter((line) => /^\S/.test(line));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
