// `npm run campaign:tasks`: 5 GB through one background command of a daemon, with the assertions that
// `npm test` makes with less.
import { run } from './run.mjs';

const FLOOD_BYTES = 5 * 1024 ** 3;

const env = { STOA_FLOOD_BYTES: String(FLOOD_BYTES), ...process.env };
const only = ['--project', 'e2e', 'tests/tasks-shell.test.ts', '-t', 'T-13'];
process.exitCode = await run(['scripts/test.mjs', ...only], { env });
