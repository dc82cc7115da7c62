// End-to-end tests start the real program: it must be built from the sources under test, also when
// vitest is started by an editor and not by `npm test`.
import { buildWeb } from './build-web.mjs';
import { bundlePrograms } from './bundle.mjs';
import { cachePrograms } from './code-cache.mjs';

export default async function setup() {
  await Promise.all([bundlePrograms(), buildWeb()]);
  await cachePrograms();
}
