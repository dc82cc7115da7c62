// The peer of fanout: a bare broadcast. What one client sends goes to all the others.
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (publisher) => {
  publisher.on('message', (data, binary) => {
    for (const client of server.clients) if (client !== publisher) client.send(data, { binary });
  });
});

process.once('disconnect', () => process.exit(0));
server.once('listening', () => {
  console.log(`ready at port ${(server.address() as { port: number }).port}`);
});
