// The subscribers of fanout, in a process of their own beside the server that is measured.
import { openStalled, ReaderGroup } from '../load/reader-group.js';
import type { ReaderRequest } from '../load/reader-messages.js';

const groups: ReaderGroup[] = [];

async function answer(request: ReaderRequest): Promise<unknown> {
  switch (request.kind) {
    case 'open':
      return groups.push(await ReaderGroup.open(request.target, request.count)) - 1;
    case 'arrivals':
      return groups[request.group]?.arrivalsOf(request.frames);
    case 'stall':
      await openStalled(request.target, request.count);
      return request.count;
  }
}

process.on('message', (request) => {
  void answer(request as ReaderRequest).then((value) => process.send?.(value));
});
process.once('disconnect', () => process.exit(0));
console.log('ready');
