import { channels } from '../channels/module.js';
import { defineModule } from '../kernel/module.js';
import { runs } from '../runs/module.js';
import { schedules } from '../schedules/module.js';
import { stimuli } from '../stimuli/module.js';
import { work } from '../work/module.js';
import { Recovery } from './recovery.js';

/** Recovery: repairs stimuli and thread work when a daemon starts. */
export const recovery = defineModule({
  name: 'recovery',
  needs: [channels, runs, work, stimuli, schedules],
  create({ stimulusContext, stimuli }) {
    const service = new Recovery(stimulusContext, stimuli);
    return { services: { recovery: service }, start: () => service.run() };
  },
});
