import { expect, it } from 'vitest';
import { processesIn } from './macos-processes.js';

const LISTED = `
    1     1 Ss   /sbin/launchd
  501   501 S    /bin/sh -c wrapper HOME=/Users/a
  502   501 S    /bin/bash -c sleep STOA_TASK=abc HOME=/Users/a
  503   503 Ss   sleep 60 PATH=/bin STOA_TASK=abc
  504   504 Z    (sleep) STOA_TASK=abc
  505   505 S    sleep 60 STOA_TASK=abcd
  506   506 S    grep STOA_TASK=ab
`;

it('processes are known by their group and by a mark that is a whole word', () => {
  expect(processesIn(LISTED, { leader: 501, marker: 'STOA_TASK=abc' })).toEqual([
    { pid: 501, isInGroup: true, isMarked: false },
    { pid: 502, isInGroup: true, isMarked: true },
    { pid: 503, isInGroup: false, isMarked: true },
  ]);
  expect(processesIn(LISTED, { leader: undefined, marker: 'STOA_TASK=abc' })).toEqual([
    { pid: 502, isInGroup: false, isMarked: true },
    { pid: 503, isInGroup: false, isMarked: true },
  ]);
});
