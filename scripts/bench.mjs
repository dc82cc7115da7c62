// `npm run bench -- NAME`: bundles the benchmarks and runs them with the given arguments.
import { bundleBenchmarks } from './bundle.mjs';
import { prepare } from './prepare.mjs';
import { command, run } from './run.mjs';

await command(async () => {
  await prepare();
  await bundleBenchmarks();
  return run(['--enable-source-maps', 'bench/dist/bench.js', ...process.argv.slice(2)]);
});
