import { describe, expect, it } from 'vitest';
import { PatternProblem } from '../../patterns/pattern-syntax.js';
import { monitorUpdateText } from './monitor-update.js';
import { WATCH_START, Watch, type WatchRules } from './watch.js';

const rules = (more: Partial<WatchRules> = {}): WatchRules => ({
  ...{ maxEvents: 1_000, idleMs: 300_000 },
  ...more,
});
/** The update after these bytes were read. */
const read = (watch: Watch, bytes: Uint8Array, now: number) => {
  watch.take(bytes, now);
  return watch.takeUpdate();
};
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const numbered = (from: number, to: number): Uint8Array =>
  bytesOf(Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join(''));

describe('a watch', () => {
  it('T-19 sends 5 of 100 instant lines and reports 95 as dropped', () => {
    const watch = new Watch(rules(), WATCH_START, 0);
    const update = read(watch, numbered(1, 100), 0);
    expect(update?.lines.map(({ text }) => text)).toEqual([1, 2, 3, 4, 5].map((n) => `line ${n}`));
    expect(update?.dropped).toBe(95);
    expect(watch.progress).toMatchObject({ events: 5, dropped: 95 });
  });

  it('T-19 reports lines that were dropped after an update with the next one, or in the totals', () => {
    const watch = new Watch(rules(), WATCH_START, 0);
    expect(read(watch, numbered(1, 5), 0)?.dropped).toBe(0);
    expect(read(watch, numbered(6, 40), 10)).toBeUndefined();
    expect(read(watch, numbered(41, 100), 20)).toBeUndefined();
    const next = read(watch, numbered(101, 101), 1_000);
    expect(next).toMatchObject({ lines: [{ number: 6, text: 'line 101' }], dropped: 95 });
    read(watch, numbered(102, 103), 1_001);
    watch.finish(1_002);
    expect(watch.takeUpdate()).toBeUndefined();
    expect(watch.progress.dropped).toBe(97);
  });

  it('T-21 sends exactly the allowed number of five lines at once', () => {
    const watch = new Watch(rules({ maxEvents: 3 }), WATCH_START, 0);
    expect(watch.isFull).toBe(false);
    const update = read(watch, numbered(1, 5), 0);
    expect(update?.lines.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(watch.isFull).toBe(true);
    expect(read(watch, numbered(6, 9), 60_000)).toBeUndefined();
    watch.finish(60_000);
    expect(watch.takeUpdate()).toBeUndefined();
    expect(watch.progress).toMatchObject({ events: 3, dropped: 0 });
  });

  it('T-22 is idle when nothing was printed for the given time, also if the clock goes back', () => {
    const watch = new Watch(rules({ idleMs: 1_000 }), WATCH_START, 50_000);
    expect(watch.isIdle(50_999)).toBe(false);
    read(watch, numbered(1, 1), 50_999);
    expect(watch.isIdle(51_998)).toBe(false);
    expect(watch.isIdle(10)).toBe(false);
    read(watch, bytesOf(''), 500);
    expect(watch.isIdle(1_009)).toBe(false);
    expect(watch.isIdle(1_010)).toBe(true);
  });

  it('neither sends nor counts lines that do not pass the filter', () => {
    const watch = new Watch(rules({ include: 'error|warn', exclude: 'ignored$' }), WATCH_START, 0);
    const update = read(watch, bytesOf('ok\nERROR 1\nwarn: ignored\nwarn 2\n'), 0);
    expect(update?.lines.map(({ text }) => text)).toEqual(['ERROR 1', 'warn 2']);
    expect(update?.dropped).toBe(0);
  });

  it('refuses patterns that could be slow', () => {
    expect(() => new Watch(rules({ include: '(a)\\1' }), WATCH_START, 0)).toThrow(PatternProblem);
    expect(() => new Watch(rules({ exclude: 'a{101}' }), WATCH_START, 0)).toThrow('at most 100');
  });

  it('resumes from its progress without sending a line twice', () => {
    const output = numbered(1, 4);
    const before = new Watch(rules(), WATCH_START, 0);
    read(before, output.subarray(0, 17), 0);
    const after = new Watch(rules(), before.progress, 9);
    const update = read(after, output.subarray(after.readAt), 9);
    expect(update?.lines.map(({ number, text }) => [number, text])).toEqual([
      [3, 'line 3'],
      [4, 'line 4'],
    ]);
  });

  it('sends the lines of several reads in one update', () => {
    const watch = new Watch(rules(), WATCH_START, 0);
    watch.take(numbered(1, 2), 0);
    watch.take(numbered(3, 3), 0);
    expect(watch.takeUpdate()?.lines.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(watch.takeUpdate()).toBeUndefined();
  });

  it('counts the lines of an update that was not sent as dropped, and uses their numbers again', () => {
    const watch = new Watch(rules({ maxEvents: 2 }), WATCH_START, 0);
    const update = read(watch, numbered(1, 2), 0);
    expect(watch.isFull).toBe(true);
    if (update) watch.drop(update);
    expect(watch.isFull).toBe(false);
    expect(watch.progress).toMatchObject({ events: 0, dropped: 2 });
    expect(read(watch, numbered(3, 3), 0)).toMatchObject({ lines: [{ number: 1 }], dropped: 2 });
  });

  it('reports how many bytes were gone before they were read, and sends no partial line', () => {
    const watch = new Watch(rules(), WATCH_START, 0);
    read(watch, bytesOf('begun'), 0);
    watch.skipTo(1_000);
    const update = read(watch, bytesOf('rest of one\nwhole\n'), 1);
    expect(update).toEqual({
      lines: [{ number: 1, text: 'whole', isCut: false }],
      dropped: 0,
      missedBytes: 995,
    });
    expect(watch.progress).toMatchObject({ offset: 1_018, missedBytes: 995 });
  });

  it('numbers each line of an update and reports what is missing', () => {
    const lines = [
      { number: 4, text: 'a', isCut: false },
      { number: 5, text: 'b', isCut: true },
    ];
    expect(monitorUpdateText('tsk_x', { lines, dropped: 2, missedBytes: 7 })).toBe(
      [
        'Monitor tsk_x, lines 4-5:',
        '#4 a',
        '#5 b [… cut]',
        '[2 more lines came too fast and were dropped]',
        '[7 bytes of output were gone before they were read]',
      ].join('\n'),
    );
  });
});
