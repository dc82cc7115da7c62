import { StoaError } from '@stoa/protocol';
import { listChannelsOf } from '@stoa/store';
import { cleared } from '../../sessions/change-session.js';
import { lockChannelsOfSession } from '../../sessions/lock-channels.js';
import { sessionToChange } from '../../sessions/session-gate.js';
import type { ChannelCommand } from './command.js';
import { sessionNamed } from './member-named.js';

const CONFIRMED = / yes$/i;

/** A session has one context in all its channels, so clearing it affects the others too. */
export const clear: ChannelCommand = {
  name: 'clear',
  takes: 'NAME [yes]',
  what: 'clear the context of an agent; yes: also if it is a member of other channels',
  *run(call) {
    const { context, by, channel, rest } = call;
    const given = rest.replace(CONFIRMED, '').trim();
    if (given === '')
      throw new StoaError('invalid_request', 'Name the agent to clear: /clear NAME');
    const { name, memberId, sessionId } = yield* sessionNamed(call, given);
    const channels = yield* listChannelsOf.all({ actorId: `session:${sessionId}` });
    const others = channels.filter(({ channelId }) => channelId !== channel.channelId);
    yield* lockChannelsOfSession(sessionId);
    const events = yield* cleared(context.sessionContext, yield* sessionToChange(by, sessionId));
    if (others.length > 0 && !CONFIRMED.test(rest)) {
      const where = others.map(({ channelId }) => channelId).slice(0, 10);
      const more =
        others.length > where.length ? ` and ${String(others.length - where.length)} more` : '';
      throw new StoaError(
        'confirmation_needed',
        `${name} is also in ${where.join(', ')}${more}, and would forget its context there too. To confirm: /clear ${memberId} yes`,
      );
    }
    return { line: `${channel.memberName} cleared the context of ${name}.`, events };
  },
};
