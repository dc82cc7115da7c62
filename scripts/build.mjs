// `npm run build`: the bundled program, the web UI, and the packages with their types.
import { prepare } from './prepare.mjs';
import { command, run } from './run.mjs';

await command(async () => {
  await prepare();
  return run(['node_modules/typescript/bin/tsc', '--build']);
});
