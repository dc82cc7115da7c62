// `npm start`: prepares, then runs the daemon in this very process, so that signals, exit code and terminal are its own.
import { createRequire } from 'node:module';
import path from 'node:path';
import { prepare } from './prepare.mjs';
import { command, root } from './run.mjs';

await command(async () => {
  await prepare();
  const program = path.join(root, 'packages/cli/dist/stoa.js');
  process.argv = [process.execPath, program, 'serve', ...process.argv.slice(2)];
  // Continues to run, and sets the exit code when it ends.
  createRequire(program)(program);
});
