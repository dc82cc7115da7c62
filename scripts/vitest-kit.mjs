// Tests run on what they import as it is now, also when vitest is started by an editor and not by `npm test`.
import { bundleKit } from './bundle-kit.mjs';

export default bundleKit;
