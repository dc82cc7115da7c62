import { join } from 'node:path';
import type { Benchmark } from '../benchmark.js';
import { type HttpConnection, openConnections, postRequest } from '../load/http-connection.js';
import { MESSAGE_TEXT } from '../load/message-text.js';
import { share } from '../load/share.js';
import { alternate, type Block, perSecond } from '../measure/alternate.js';
import { figureOf } from '../measure/figure.js';
import { Child } from '../world/child.js';
import { startDaemon } from '../world/daemon.js';
import { openDirectory } from '../world/directory.js';
import { openSettledSearch } from '../world/settled-search.js';

const CONNECTIONS = 32;
const POSTS_EACH = 3;
const CHANNEL = 'bench';

export const appendHttp: Benchmark = {
  description:
    'synced posts of one person on 32 connections ÷ fastify with one synced insert per request',
  async run(form, scope) {
    const extent =
      form === 'short'
        ? { pairs: 30, seconds: 6, warmUp: 10 }
        : { pairs: 300, seconds: 90, warmUp: 30 };
    const home = openDirectory(scope);
    const daemon = await startDaemon(scope, home);
    await daemon.client.channels.create({ channelId: CHANNEL, title: CHANNEL });
    const path = `/v1/channels/${CHANNEL}/messages`;
    const request = postRequest(daemon.port, path, daemon.token, { text: MESSAGE_TEXT });
    const ours = await openConnections(scope, daemon.port, CONNECTIONS);

    const answer = await (ours[0] as HttpConnection).exchange(request);
    const server = await Child.startProgram(scope, 'insert-server', [
      join(home, 'rows.db'),
      answer,
    ]);
    const port = Number(server.readyText);
    const peerRequest = postRequest(port, '/rows', daemon.token, { text: MESSAGE_TEXT });
    const peer = await openConnections(scope, port, CONNECTIONS);

    const settle = openSettledSearch(scope, home);
    const pairs = await alternate(posts(ours, request), posts(peer, peerRequest), {
      ...extent,
      settle,
    });
    const part = `${CONNECTIONS} connections`;
    return [figureOf({ bench: 'append-http', part, unit: 'ops/s', goal: '>=2' }, pairs)];
  },
};

function posts(connections: readonly HttpConnection[], request: Buffer): Block {
  return perSecond(CONNECTIONS * POSTS_EACH, () =>
    share(CONNECTIONS, POSTS_EACH, (i) => (connections[i] as HttpConnection).exchange(request)),
  );
}
