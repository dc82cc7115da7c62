import { LIMITS, type Principal } from '@stoa/protocol';
import { insertSession, openSession } from '@stoa/store';
import { OWNER, type RuntimeDaemon, RuntimeWorld, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

describe.each(STORE_ENGINES)('a sub-session on $name', (engine) => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  let parentSessionId: string;
  /** Called while a session is created. */
  let meanwhile: (() => Promise<unknown>) | undefined;

  beforeEach(async () => {
    world = await RuntimeWorld.open(engine);
    meanwhile = undefined;
    daemon = await world.start({
      workspaces: {
        resolve: () => Promise.resolve('/work'),
        async instructions() {
          await meanwhile?.();
          return undefined;
        },
        isShared: () => true,
        isSelfApproved: () => true,
      },
    });
    parentSessionId = await create();
  });
  afterEach(async () => {
    await world.discard();
  });

  const create = async (parent?: string): Promise<string> => {
    const below = parent === undefined ? {} : { parentSessionId: parent };
    const request = { agentId: 'helper', ...below };
    return (await daemon.core.sessions.create(OWNER, request)).sessionId;
  };
  const statusOf = async (sessionId: string): Promise<string> =>
    (await daemon.core.sessions.get(OWNER, sessionId)).status;

  it('ends with its parent, and with the parent of its parent', async () => {
    const child = await create(parentSessionId);
    const grandchild = await create(child);
    await daemon.core.sessions.end(OWNER, parentSessionId);
    expect([await statusOf(child), await statusOf(grandchild)]).toEqual(['ended', 'ended']);
  });

  it('ends soon after a crash if its parent has ended', async () => {
    const child = await create(parentSessionId);
    const grandchild = await create(child);
    const transact = daemon.store.transact.bind(daemon.store);
    daemon.store.transact = (body, options) =>
      options?.lane === `session:${child}` ? new Promise(() => undefined) : transact(body, options);
    void daemon.core.sessions.end(OWNER, parentSessionId);
    await expect.poll(() => statusOf(parentSessionId)).toBe('ended');
    await daemon.abandon();
    daemon = await world.start();
    expect(await statusOf(child)).toBe('idle');
    await daemon.core.tick();
    expect([await statusOf(child), await statusOf(grandchild)]).toEqual(['ended', 'ended']);
  });

  it('is refused if there are too many, counting all generations', async () => {
    const child = await create(parentSessionId);
    const row = await daemon.store.read(() => openSession.first({ sessionId: child }));
    if (!row) throw new Error('it is there');
    await daemon.store.transact(function* () {
      for (let i = 2; i < LIMITS.subSessions; i++) {
        const number = String(i).padStart(26, '0');
        const topicId = row.topicId + 1_000 + i;
        yield* insertSession.run({ ...row, topicId, sessionId: `ses_${number}` });
      }
    });
    const grandchild = await create(child);
    await expect(create(grandchild)).rejects.toMatchObject({ code: 'limit_reached' });
    await expect(create(parentSessionId)).rejects.toMatchObject({ code: 'limit_reached' });
    await create();
    await daemon.core.sessions.end(OWNER, grandchild);
    await create(parentSessionId);
  });

  it('is refused if it would be too deep', async () => {
    let deepest = parentSessionId;
    for (let i = 0; i < LIMITS.subSessionDepth; i++) deepest = await create(deepest);
    await expect(create(deepest)).rejects.toMatchObject({ code: 'limit_reached' });
  });

  it('is refused when its parent ends while it is created', async () => {
    const by: Principal = { kind: 'session', id: parentSessionId, credentialId: 'crd_s' };
    meanwhile = () => daemon.core.sessions.end(OWNER, parentSessionId);
    const made = daemon.core.sessions.create(by, { agentId: 'helper' });
    await expect(made).rejects.toMatchObject({ code: 'session_ended' });
  });
});
