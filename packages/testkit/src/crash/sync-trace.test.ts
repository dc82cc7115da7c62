import { describe, expect, it } from 'vitest';
import { readSyncTrace } from './sync-trace.js';

const ID = `msg_${'0'.repeat(25)}1`;
const WAL = '/home/stoa.db-wal';
const SOCKET = 'TCP:[127.0.0.1:7117->127.0.0.1:40000]';

const write = `10 1.1 pwrite64(20<${WAL}>, "...${ID}...", 4096, 24) = 4096`;
const sync = `10 1.2 fdatasync(20<${WAL}>) = 0`;
const tell = `10 1.3 writev(30<${SOCKET}>, [{iov_base="HTTP/1.1 201 Created", iov_len=9}, {iov_base="{\\"messageId\\":\\"${ID}\\"}", iov_len=40}], 2) = 49`;

const read = (...lines: string[]) => readSyncTrace(lines.join('\n'));

describe('reading a trace of sync calls', () => {
  it('finds nothing wrong with write, sync, tell', () => {
    expect(read(write, sync, tell)).toEqual({ sent: 1, sentBeforeSync: [], syncs: 1 });
  });

  it.each([
    ['no sync at all', [write, tell]],
    ['a sync before the write', [sync, write, tell]],
    ['a sync after the telling', [write, tell, sync]],
    ['a sync that failed', [write, sync.replace('= 0', '= -1 EIO (Input/output error)'), tell]],
    ['a sync of another file', [write, sync.replace(WAL, '/home/search.db-wal'), tell]],
    ['a write to another file', [write.replace(WAL, '/home/stoa.db'), sync, tell]],
    ['a sync that has not ended', [write, `10 1.2 fdatasync(20<${WAL}> <unfinished ...>`, tell]],
    [
      'a sync that began before the write',
      [
        `11 1.0 fdatasync(20<${WAL}> <unfinished ...>`,
        write,
        '11 1.2 <... fdatasync resumed>) = 0',
        tell,
      ],
    ],
  ])('finds a message that was sent with %s', (_, lines) => {
    expect(read(...lines)).toMatchObject({ sent: 1, sentBeforeSync: [ID] });
  });

  it('follows calls that are interrupted by those of other threads', () => {
    const lines = [
      write.replace(/\) = 4096$/, ' <unfinished ...>'),
      '11 1.15 write(4<pipe:[1]>, "x", 1) = 1',
      '10 1.16 <... pwrite64 resumed>) = 4096',
      `10 1.2 fdatasync(20<${WAL}> <unfinished ...>`,
      '11 1.25 write(4<pipe:[1]>, "x", 1) = 1',
      '10 1.26 <... fdatasync resumed>) = 0 <0.000100>',
      tell,
    ];
    expect(read(...lines)).toEqual({ sent: 1, sentBeforeSync: [], syncs: 1 });
  });
});
