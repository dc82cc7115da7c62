// What tests import is bundled from the sources as they are now, also when it is not `npm test` that runs them.
import { bundleKit } from './bundle-kit.mjs';

export default bundleKit;
