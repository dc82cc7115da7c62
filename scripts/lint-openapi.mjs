// `npm run check -- openapi`: checks the OpenAPI document that the daemon serves with Redocly. Sends and downloads nothing.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { command, root } from './run.mjs';

const node = (args, env = process.env) =>
  execFileSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });

await command(async () => {
  // The compiled protocol makes the document.
  node(['node_modules/typescript/bin/tsc', '--build', 'packages/protocol']);
  const protocol = await import(path.join(root, 'packages/protocol/dist/index.js'));
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const document = protocol.openApiDocument({ version, schemas: protocol });
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-openapi-'));
  try {
    const file = path.join(directory, 'openapi.json');
    fs.writeFileSync(file, JSON.stringify(document));
    const lint = ['lint', file, '--extends=recommended', '--format=summary'];
    const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    node(['node_modules/@redocly/cli/bin/cli.js', ...lint], { ...process.env, ...quiet });
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
});
