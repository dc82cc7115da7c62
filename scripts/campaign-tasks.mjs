// `npm run campaign:tasks`: 5 GB through one background command of a daemon, and 500 commands while it is
// killed 20 times, with the assertions that `npm test` makes with less.
import { run } from './run.mjs';

const env = {
  STOA_FLOOD_BYTES: String(5 * 1024 ** 3),
  STOA_CAMPAIGN_SHELLS: '500',
  STOA_CAMPAIGN_KILLS: '20',
  ...process.env,
};
const files = ['tests/tasks-shell.test.ts', 'tests/tasks-campaign.test.ts'];
const only = ['--project', 'e2e', ...files, '-t', 'T-13|T-16 that end'];
process.exitCode = await run(['scripts/test.mjs', ...only], { env });
