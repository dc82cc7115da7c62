import { OBSERVATION_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { channels } from '../channels/module.js';
import { defineModule } from '../kernel/module.js';
import { sessions } from '../sessions/module.js';
import { stimuli } from '../stimuli/module.js';
import { Observations } from './observations.js';
import { OBSERVATION_EVENTS } from './projection.js';

/** Observations: events that external sources report to channels. */
export const observations = defineModule({
  name: 'observations',
  needs: [access, sessions, channels, stimuli],
  events: OBSERVATION_EVENTS,
  tables: { channel: OBSERVATION_TABLES },
  create({ stimulusContext }) {
    return { services: { observations: new Observations(stimulusContext) } };
  },
});
