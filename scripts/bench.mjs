// `npm run bench -- NAME`: prepare, bundle the benchmarks, and run them with the given arguments.
import path from 'node:path';
import { bundleBenchmarks } from './bundle.mjs';
import { command, prepare } from './prepare.mjs';
import { root, run } from './run.mjs';

await command(async () => {
  await prepare();
  await bundleBenchmarks();
  return run([
    '--enable-source-maps',
    path.join(root, 'bench/dist/bench.js'),
    ...process.argv.slice(2),
  ]);
});
