// `npm run build`: the bundled program and the web UI, always anew, and the packages with their types.
import path from 'node:path';
import { buildWeb } from './build-web.mjs';
import { bundlePrograms } from './bundle.mjs';
import { cachePrograms } from './code-cache.mjs';
import { command, prepare } from './prepare.mjs';
import { root, run } from './run.mjs';

await command(async () => {
  await prepare();
  await Promise.all([bundlePrograms({ force: true }), buildWeb({ force: true })]);
  await cachePrograms();
  return run([path.join(root, 'node_modules/typescript/bin/tsc'), '--build', root]);
});
