// `npm run build`: the bundled program, always anew, and the packages with their types.
import path from 'node:path';
import { bundlePrograms } from './bundle.mjs';
import { cachePrograms } from './code-cache.mjs';
import { command, prepare } from './prepare.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';

await command(async () => {
  await prepare();
  await bundlePrograms({ force: true });
  await cachePrograms();
  return run([path.join(root, 'node_modules/typescript/bin/tsc'), '--build', root]);
});
