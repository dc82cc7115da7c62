// The peer of append-http: fastify, one prepared insert per request, synced before the answer. It
// answers with the same record as the daemon does.
import type { AddressInfo } from 'node:net';
import type { Message, PostMessage } from '@stoa/protocol';
import { openSqlite } from '@stoa/store';
import fastify from 'fastify';

const [path = '', sample = ''] = process.argv.slice(2);

const database = openSqlite(path);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE "rows" ("id" INTEGER PRIMARY KEY, "body" TEXT NOT NULL)');
const insert = database.prepare<[string]>('INSERT INTO "rows" ("body") VALUES (?)');
const answer = JSON.parse(sample) as Message;

const server = fastify();
server.post<{ Body: PostMessage }>('/rows', (request, reply) => {
  const { text = '' } = request.body;
  const seq = Number(insert.run(text).lastInsertRowid);
  void reply.code(201).send({ ...answer, seq, inputItems: [{ type: 'text', text }] });
});

process.once('disconnect', () => process.exit(0));
await server.listen({ host: '127.0.0.1', port: 0 });
console.log(`ready at port ${(server.server.address() as AddressInfo).port}`);
