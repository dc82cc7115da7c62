import type { ScratchStore } from '@stoa/store';
import {
  type Machine,
  type Planted,
  runtimeWith,
  SimulatedDaemon,
  type SimulatedHistory,
  storeWith,
} from '../simulation/kernel.js';
import { type Audience, SimSpeaker } from './sim-speaker.js';

/** What a daemon reports when something broke that is not the fault of an agent. */
const DEFECTS = /could not be |let go of a run/;

const never = <T>(): Promise<T> => new Promise(() => undefined);

export interface TurnHostPorts extends Machine {
  readonly audience: Omit<Audience, 'pace'>;
  readonly planted: Planted;
  readonly openScratch: () => ScratchStore;
  readonly report: SimulatedHistory['report'];
}

/** A daemon with agents in channels, which go on when the scheduler lets them. */
export class TurnHost extends SimulatedDaemon {
  constructor(name: string, ports: TurnHostPorts) {
    const { audience, report } = ports;
    super(
      name,
      ports,
      (daemon) => ({
        store: { durability: 'relaxed' },
        // A process that is gone reads and writes nothing.
        wrap: (store) =>
          storeWith(store, (member) =>
            !daemon.isAlive && (member === 'transact' || member === 'read') ? never : undefined,
          ),
        ports: {
          openScratch: () => Promise.resolve(ports.openScratch()),
          report,
          runtime: runtimeWith(
            daemon,
            new SimSpeaker({ ...audience, pace: (signal) => daemon.pace(signal) }),
            {
              diagnose: (message, details) => {
                if (DEFECTS.test(message)) audience.fail(message, details);
              },
            },
          ),
        },
      }),
      ports.planted,
    );
  }

  /** As the real daemon begins. */
  async begin(): Promise<void> {
    await this.core.credentials.adoptOwnerToken('owner', '/home');
    await this.core.recover();
    await this.core.start();
  }

  /** What a daemon does now and then. */
  async tick(): Promise<void> {
    await this.core.tick();
  }
}
