// Cleans up after a test run, however it ended. test-run.mjs starts it in its own process group with the directories of the run as
// arguments, and holds the other end of its input. When that closes, at the end of the run or after `kill -9`, it ends
// every process of the run and removes the directories.
import { reap } from './leftovers.mjs';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
await new Promise((resolve) => process.stdin.on('close', resolve).on('error', resolve).resume());
await reap(process.argv.slice(2));
