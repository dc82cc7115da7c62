import { access } from '../access/module.js';
import type { KernelPorts } from '../kernel/kernel.js';
import { defineModule } from '../kernel/module.js';
import type { AssetFiles } from '../ports.js';
import { Assets } from './assets.js';

export interface AssetPorts extends Pick<KernelPorts, 'retention'> {
  readonly files: AssetFiles;
}

/** Stored bytes that messages, items and boards refer to. */
export const assets = defineModule({
  name: 'assets',
  needs: [access],
  create({ store, ids, clock }, { files, retention }: AssetPorts) {
    const service = new Assets(store, files, ids, clock);
    return {
      services: { assets: service },
      sweeps: {
        assets: (keepGoing, chunk) =>
          service.collectUnused(retention.unusedAssetMs, chunk, keepGoing),
      },
    };
  },
});
