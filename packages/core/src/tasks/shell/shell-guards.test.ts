import { describe, expect, it } from 'vitest';
import { endsInBackground } from './ends-in-background.js';
import { monitorHint } from './monitor-hint.js';
import { sleepRefusal } from './sleep-guard.js';

describe('T-11 a foreground command that begins with a sleep', () => {
  it.each([
    'sleep 2',
    'sleep 2.0s',
    '/bin/sleep 5',
    'sleep 1 1',
    'sleep 1m',
    'sleep infinity',
    'sleep 5 && make',
    'sleep 5 || make',
    'sleep 3; make',
    'sleep 3\nmake',
    'sleep 3 # soon',
    "bash -c 'sleep 5'",
    `sh -c "bash -c 'sleep 5; make'"`,
    '(sleep 5; make)',
    '{ sleep 5; }',
    'nohup sleep 5',
    'timeout 100 sleep 50',
    'time sleep 5',
    'env A=1 sleep 5',
    'sleep 5; make # intentional-sleep: waiting for the device',
    'sleep 30 # intentional-sleep: short',
  ])('is refused, with what to do instead: %s', (command) => {
    expect(sleepRefusal(command)).toMatch(/is_background.*monitor/);
  });

  it('is refused if an intentional sleep is longer than ten minutes', () => {
    const intended = (length: string): string =>
      `sleep ${length} # intentional-sleep: waiting for the device`;
    expect(sleepRefusal(intended('601'))).toMatch(/at most 600 s/);
    expect(sleepRefusal(intended('11m'))).toMatch(/at most 600 s/);
    expect(sleepRefusal(intended('600'))).toBeUndefined();
  });

  it.each([
    'sleep 1500ms',
    'sleep 1.9',
    'sleep 0',
    'echo a && sleep 5',
    'echo a; sleep 5',
    'sleep 5 &',
    'sleep 5 & make',
    'sleep 5 | cat',
    'sleep 30 # intentional-sleep: waiting for the device',
    "bash -c 'sleep 1'",
    'sleep $N',
    'sleep --help',
    'sleepy 5',
    'if true; then sleep 5; fi',
    'echo "sleep 5"',
    'sleep 5 ) broken',
  ])('is allowed where it is short, not first, or not waited for: %s', (command) => {
    expect(sleepRefusal(command)).toBeUndefined();
  });
});

describe('T-12 a foreground command that watches something', () => {
  it.each([
    'tail -f log',
    'tail -F log',
    'tail -5f log',
    'tail -fn5 log',
    'tail -n 5 --follow=name log',
    'cd a && tail -f log | grep error',
    "bash -c 'tail -f log'",
    'while true; do date; sleep 5; done',
    'until curl -s localhost; do sleep 1; done',
    'while sleep 5; do date; done',
    'while true; do (date; sleep 5); done',
    'watch -n1 date',
    '/usr/bin/watch date',
    'inotifywait -m src',
    'inotifywait --monitor src',
    'inotifywait -rqm src',
    'journalctl -fu nginx',
    'docker logs -f web',
    'kubectl logs --follow web',
    '(tail -f log)',
  ])('gets the hint to use a monitor: %s', (command) => {
    expect(monitorHint(command)).toMatch(/monitor/);
  });

  it.each([
    'tail log',
    'tail -n 5 log',
    'tail -f log &',
    'timeout 5 tail -f log',
    'while read -r line; do echo $line; done < file',
    'for i in 1 2 3; do sleep 1; done',
    'inotifywait src',
    'echo "tail -f log"',
    'grep -f patterns log',
    'docker run -f x',
    'watchman version',
    'tail -f log ) broken',
  ])('gets none where it is an ordinary one: %s', (command) => {
    expect(monitorHint(command)).toBeUndefined();
  });
});

it('a command whose last part runs in the background is recognised', () => {
  expect(endsInBackground('make &')).toBe(true);
  expect(endsInBackground('make & sleep 1 &')).toBe(true);
  expect(endsInBackground('make & wait')).toBe(false);
  expect(endsInBackground('make "&"')).toBe(false);
  expect(endsInBackground('make &&')).toBe(false);
});
