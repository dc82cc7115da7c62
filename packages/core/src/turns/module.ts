import { TURN_TABLES } from '@stoa/store';
import { access } from '../access/module.js';
import { assets } from '../assets/module.js';
import {
  CHANNEL_RESUMED,
  CHANNEL_UNARCHIVED,
  LEASES_CANCELLED,
  MESSAGE_POSTED,
} from '../channels/context.js';
import { channels } from '../channels/module.js';
import { inbox } from '../inbox/module.js';
import { on } from '../kernel/hooks.js';
import { defineModule } from '../kernel/module.js';
import { RUN_ENDED } from '../runs/end-run.js';
import { runs } from '../runs/module.js';
import { sessions } from '../sessions/module.js';
import { work } from '../work/module.js';
import { deliveryEnded } from './delivery-ended.js';
import { openTurn } from './open-turn.js';
import { TURN_EVENTS } from './projection.js';
import { cancelTurns, reopenTurns, resumeTurns } from './reevaluate-channel.js';
import { TurnClock } from './turn-clock.js';
import { Turns } from './turns.js';

/** Turns: who speaks next in a thread of a channel, and why. */
export const turns = defineModule({
  name: 'turns',
  needs: [access, assets, sessions, channels, runs, inbox, work],
  events: TURN_EVENTS,
  tables: { channel: TURN_TABLES },
  create({ sessionContext: context, ownership }) {
    const service = new Turns(context);
    const turnClock = new TurnClock(context, service, () => ownership.showActive());
    return {
      services: { turns: service, turnClock },
      within: [
        on(MESSAGE_POSTED, (channel, posted, at, options) =>
          openTurn(context, channel, posted, at, options),
        ),
        on(CHANNEL_RESUMED, (channel, at) => resumeTurns(context, channel, at)),
        on(CHANNEL_UNARCHIVED, (channel, at) => reopenTurns(context, channel, at)),
        on(LEASES_CANCELLED, (channel, leases, then, at) =>
          cancelTurns(context, channel, leases, then, at),
        ),
        on(RUN_ENDED, (session, runId, end) => deliveryEnded(context, session, runId, end)),
      ],
      after: {
        turn_decided: ({ data }) => {
          turnClock.decided(data);
        },
        approval_settled: ({ data }) => void turnClock.answered(data.origin),
      },
      ticks: [{ everyMs: 5_000, run: () => turnClock.poll(), runsAtStart: true }],
      close: () => turnClock.stop(),
    };
  },
});
