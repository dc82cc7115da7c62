import type { FollowNotice } from '@stoa/client';
import type { Context } from '../context.js';

const REASONS: Record<Extract<FollowNotice, { type: 'reconnecting' }>['reason'], string> = {
  connection_lost: 'the connection was lost',
  shutdown: 'the daemon is stopping',
  slow_reader: 'this reader was too slow',
  unavailable: 'the daemon cannot read its log',
};

/** Says once that the connection is gone, and once that it is back. */
export function connectionNotices(context: Context): (notice: FollowNotice) => void {
  let lost = false;
  return (notice) => {
    if (notice.type === 'reconnecting') {
      if (!lost) context.say(`${REASONS[notice.reason]}; reconnecting, no event will be lost`);
      lost = true;
    } else if (lost) {
      context.say(`reconnected; continuing after ${notice.after}`);
      lost = false;
    }
  };
}
