// Checks the OpenAPI document that the daemon serves with Redocly: no error may be left. Nothing is sent or fetched.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from './run.mjs';

const node = (args, env = process.env) =>
  spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1;

// The protocol as it is now: the document is made by its compiled form.
const built = node(['node_modules/typescript/bin/tsc', '--build', 'packages/protocol']);
if (built !== 0) process.exit(built);

const protocol = await import(path.join(root, 'packages/protocol/dist/index.js'));
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-openapi-'));
try {
  const file = path.join(directory, 'openapi.json');
  fs.writeFileSync(file, JSON.stringify(protocol.openApiDocument({ version, schemas: protocol })));
  const lint = ['lint', file, '--extends=recommended', '--format=summary'];
  process.exitCode = node(['node_modules/@redocly/cli/bin/cli.js', ...lint], {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  });
} finally {
  fs.rmSync(directory, { recursive: true, force: true });
}
