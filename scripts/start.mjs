// `npm start`: prepare, then become the daemon. In this very process, so that signals, exit code
// and terminal are the daemon's own and nothing has to be passed on.
import { createRequire } from 'node:module';
import path from 'node:path';
import { command, prepare } from './prepare.mjs';
import { root } from './run.mjs';

await command(async () => {
  await prepare();
  const program = path.join(root, 'packages/cli/dist/stoa.js');
  process.argv = [process.execPath, program, 'serve', ...process.argv.slice(2)];
  // Runs on, and sets the exit code when it ends.
  createRequire(program)(program);
});
