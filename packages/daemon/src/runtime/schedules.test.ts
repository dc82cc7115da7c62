import { type Cadence, type CreateSchedule, LIMITS, type Schedule } from '@stoa/protocol';
import { insertRun, openSession } from '@stoa/store';
import {
  AgentSession,
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
  until,
} from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { calendar } from './calendar.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const iso = (at: number | undefined): string => new Date(at ?? 0).toISOString();

describe.each(STORE_ENGINES)('a schedule on $name', (engine) => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  let sessionId: string;

  beforeEach(async () => {
    world = await RuntimeWorld.open(engine);
    daemon = await world.start({ calendar });
    ({ sessionId } = await daemon.core.sessions.create(OWNER, { agentId: 'helper' }));
  });
  afterEach(async () => {
    await world.discard();
  });

  const create = (cadence: Cadence, options: Partial<CreateSchedule> = {}): Promise<Schedule> =>
    daemon.core.schedules.create(OWNER, {
      sessionId,
      title: 'watch',
      text: 'look around',
      cadence,
      overlap: 'skip',
      misfire: 'coalesce_once',
      ...options,
    });
  const now = ({ scheduleId }: Schedule): Promise<Schedule> =>
    daemon.core.schedules.get(OWNER, scheduleId);
  const goTo = async (time: string): Promise<void> => {
    world.clock.move(Date.parse(time) - world.clock.now());
    await daemon.core.schedules.fireDue();
  };
  const finish = async (count: number): Promise<void> => {
    const run = await daemon.driver.nth(count);
    run.complete();
    await until('it ended', async () => {
      const { status } = await daemon.core.runs.get(OWNER, run.runId);
      return status === 'completed';
    });
  };

  it('R-36 by cron fires at the local time, over a change to daylight saving time', async () => {
    await goTo('2026-03-27T12:00:00Z');
    const schedule = await create({
      kind: 'cron',
      expression: '30 9 * * *',
      timeZone: 'Europe/Berlin',
    });
    const fires: string[] = [];
    for (let i = 1; i <= 3; i++) {
      const { nextFireAt } = await now(schedule);
      fires.push(iso(nextFireAt));
      await goTo(iso(nextFireAt));
      await finish(i);
    }
    // Central European time is UTC+1 until 29 March 2026, and UTC+2 from then on.
    expect(fires).toEqual([
      '2026-03-28T08:30:00.000Z',
      '2026-03-29T07:30:00.000Z',
      '2026-03-30T07:30:00.000Z',
    ]);
    expect(await now(schedule)).toMatchObject({ fires: 3, skipped: 0, status: 'active' });
  });

  it('R-36 fires once for three missed times, or not at all', async () => {
    const once = await create({ kind: 'interval', everyMs: HOUR });
    const none = await create({ kind: 'interval', everyMs: HOUR }, { misfire: 'skip_missed' });
    world.clock.move(3 * HOUR + 30 * MINUTE);
    await daemon.core.schedules.fireDue();
    await daemon.core.schedules.fireDue();
    expect(await now(once)).toMatchObject({ fires: 1, skipped: 0 });
    expect(await now(none)).toMatchObject({ fires: 0, skipped: 1 });
    for (const schedule of [once, none]) {
      const { nextFireAt } = await now(schedule);
      expect(nextFireAt).toBe(schedule.createdAt + 4 * HOUR);
    }
    const run = await daemon.driver.nth(1);
    expect(run.context).toMatchObject({
      kind: 'schedule',
      origin: { scheduleId: once.scheduleId },
    });
  });

  it.each([
    ['skip', 1, 2],
    ['queue_one', 2, 1],
    ['parallel', 3, 0],
  ] as const)('R-36 with overlap %s', async (overlap, fires, skipped) => {
    const schedule = await create({ kind: 'interval', everyMs: HOUR }, { overlap });
    for (let i = 1; i <= 3; i++) {
      world.clock.move(HOUR);
      await daemon.core.schedules.fireDue();
      if (i === 1) await daemon.driver.nth(1);
    }
    expect(await now(schedule)).toMatchObject({ fires, skipped });
  });

  it('skips a time if the inbox is full, and does not delay other schedules', async () => {
    const cadence = { kind: 'interval', everyMs: HOUR } as const;
    const full = await create(cadence, { overlap: 'parallel' });
    world.clock.move(1);
    const other = await daemon.core.sessions.create(OWNER, { agentId: 'helper' });
    const free = await create(cadence, { sessionId: other.sessionId });
    await daemon.core.inbox.submit(OWNER, sessionId, { text: 'busy', rule: 'followup' });
    await daemon.driver.nth(1);
    await daemon.store.transact(function* () {
      const { topicId = 0 } = (yield* openSession.first({ sessionId })) ?? {};
      const run = { topicId, kind: 'input', rule: 'followup', priority: 5, channelId: null, at: 1 };
      for (let i = 0; i < LIMITS.queuedRunsPerSession; i++)
        yield* insertRun.run({ ...run, seq: 1_000 + i, runId: `run_${String(i)}` });
    });
    world.clock.move(HOUR);
    await daemon.core.schedules.fireDue();
    expect(await now(free)).toMatchObject({ fires: 1, skipped: 0 });
    expect(await now(full)).toMatchObject({
      fires: 0,
      skipped: 1,
      nextFireAt: full.createdAt + 2 * HOUR,
    });
    const triggered = daemon.core.schedules.trigger(OWNER, full.scheduleId);
    await expect(triggered).rejects.toMatchObject({ code: 'inbox_full' });
  });

  it('for one time fires once and then ends', async () => {
    const at = world.clock.now() + HOUR;
    const schedule = await create({ kind: 'once', at });
    expect(schedule.nextFireAt).toBe(at);
    world.clock.move(HOUR);
    await daemon.core.schedules.fireDue();
    expect(await now(schedule)).toMatchObject({ status: 'ended', fires: 1 });
    await daemon.core.schedules.fireDue();
    expect(await now(schedule)).toMatchObject({ fires: 1 });
  });

  it('for a time in the past fires immediately, without missed times', async () => {
    const schedule = await create({ kind: 'once', at: world.clock.now() - HOUR });
    expect(schedule.nextFireAt).toBe(schedule.createdAt);
    world.clock.move(1_000);
    await daemon.core.schedules.fireDue();
    expect(await now(schedule)).toMatchObject({ status: 'ended', fires: 1 });
    const fired = await AgentSession.of(daemon, sessionId).all('schedule_fired');
    expect(fired.map(({ data }) => data.missed)).toEqual([0]);
  });

  it('ends after its number of times, and can be paused, resumed and triggered', async () => {
    const schedule = await create({ kind: 'interval', everyMs: HOUR }, { maxFires: 2 });
    await daemon.core.schedules.pause(OWNER, schedule.scheduleId);
    world.clock.move(5 * HOUR);
    await daemon.core.schedules.fireDue();
    expect(await now(schedule)).toMatchObject({ status: 'paused', fires: 0 });
    const resumed = await daemon.core.schedules.resume(OWNER, schedule.scheduleId);
    expect(resumed.nextFireAt).toBe(schedule.createdAt + 6 * HOUR);
    const triggered = await daemon.core.schedules.trigger(OWNER, schedule.scheduleId);
    expect(triggered).toMatchObject({ fires: 1, nextFireAt: resumed.nextFireAt });
    await finish(1);
    world.clock.move(HOUR);
    await daemon.core.schedules.fireDue();
    expect(await now(schedule)).toMatchObject({ status: 'ended', fires: 2 });
  });

  it.each([
    ['no cron', { kind: 'cron', expression: 'every day', timeZone: 'UTC' }],
    ['no minute', { kind: 'cron', expression: '99 * * * *', timeZone: 'UTC' }],
    ['an unknown time zone', { kind: 'cron', expression: '0 9 * * *', timeZone: 'Mars/Base' }],
    ['a day that never comes', { kind: 'cron', expression: '0 0 31 2 *', timeZone: 'UTC' }],
  ] as const)('with %s is refused, in words without the names of a library', async (_, cadence) => {
    await expect(create(cadence)).rejects.toMatchObject({
      code: 'invalid_schedule',
      message: expect.not.stringMatching(/Cron[A-Z]/) as string,
    });
  });

  it('leaves every table equal to a replay of the log', async () => {
    await create({ kind: 'interval', everyMs: HOUR });
    world.clock.move(HOUR);
    await daemon.core.schedules.fireDue();
    expect((await daemon.core.checkIntegrity()).problems).toEqual([]);
  });
});
