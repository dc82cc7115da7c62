import { type Board, LIMITS, type Principal } from '@stoa/protocol';
import { OWNER, STORE_ENGINES } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TurnStage } from '../turns/turn-stage.fixture.js';

describe.each(STORE_ENGINES)('boards on $name', (engine) => {
  let stage: TurnStage;
  let a: Principal & { kind: 'session' };
  let b: Principal & { kind: 'session' };
  beforeEach(async () => {
    stage = await TurnStage.open(engine, ['a', 'b']);
    const as = (name: string) =>
      ({ kind: 'session', id: stage.sessionOf(name), credentialId: 'session' }) as const;
    [a, b] = [as('a'), as('b')];
  });
  afterEach(async () => {
    await stage.assertIntact();
    await stage.close();
  });

  const draw = (text: string): Promise<Board> =>
    stage.core.boards.create(a, a.id, { title: 'Plan', text });
  const show = (by: Principal, boardId: string, revision?: number) =>
    stage.core.channels.post(by, 'team', {
      inputItems: [
        { type: 'inline_asset', data: 'bmV2ZXIgc3RvcmVk' },
        { type: 'board_reference', boardId, revision },
      ],
    });
  const code = (attempt: Promise<unknown>): Promise<unknown> =>
    attempt.then(
      () => 'it went through',
      (error: unknown) => (error as { code?: string }).code,
    );

  it('C-28 C-29 are shown only by their session, in their current revision', async () => {
    const { boardId } = await draw('one');
    const { revisions } = await stage.core.boards.revise(OWNER, a.id, boardId, { text: 'two' });
    expect(revisions).toMatchObject([
      { revision: 1, mediaType: 'text/plain; charset=utf-8', createdBy: `session:${a.id}` },
      { revision: 2, createdBy: 'human:owner' },
    ]);
    expect(await code(show(OWNER, boardId))).toBe('board_without_session');
    expect(await code(show(b, boardId))).toBe('unknown_board');
    expect(await code(show(a, boardId, 3))).toBe('unknown_board');
    expect(await stage.read()).toEqual([]);
    // The bytes of the refused message were not stored either: they get a new asset now.
    stage.world.clock.move(1_000);
    const brought = new TextEncoder().encode('never stored');
    const asset = await stage.core.assets.create(brought, undefined, 'human:owner');
    expect(asset.createdAt).toBe(stage.world.clock.now());
    const [first, second] = revisions.map(({ assetId }) => assetId);
    expect((await show(a, boardId, 1)).inputItems[1]).toEqual({
      type: 'asset_reference',
      assetId: first,
    });
    expect((await show(a, boardId)).inputItems[1]).toMatchObject({ assetId: second });
  });

  it('C-29 are published with the output of a run that refers to them', async () => {
    const { boardId, revisions } = await draw('drawn');
    await stage.say('@a show it');
    const { run } = await stage.next();
    const item = { type: 'text', text: 'here' } as const;
    const board = { type: 'board_reference', boardId } as const;
    const none = { type: 'board_reference', boardId: `brd_${'0'.repeat(26)}` } as const;
    expect(await code(run.context.journal.emitOutput([item, none]))).toBe('unknown_board');
    await run.context.journal.emitOutput([item, board]);
    await stage.core.boards.delete(OWNER, a.id, boardId);
    run.complete();
    await stage.ended(run);
    expect((await stage.read())[1]?.inputItems).toEqual([
      item,
      { type: 'asset_reference', assetId: revisions[0]?.assetId },
    ]);
  });

  it('C-29 hold the assets of their stored revisions, and release the others', async () => {
    const { boardId, revisions } = await draw('revision 1');
    const { core } = stage;
    const inUse = (assetId = '') => code(core.assets.delete(OWNER, assetId));
    expect(await inUse(revisions[0]?.assetId)).toBe('asset_in_use');
    // It is still held after the message that showed it was deleted.
    const { messageId } = await show(a, boardId);
    await core.channels.deleteMessage(OWNER, 'team', messageId);
    expect(await inUse(revisions[0]?.assetId)).toBe('asset_in_use');
    for (let n = 2; n <= LIMITS.revisionsPerBoard + 2; n++) {
      await core.boards.revise(a, a.id, boardId, { text: `revision ${String(n)}` });
      if (n === 2) await show(a, boardId);
    }
    const kept = await core.boards.get(a, a.id, boardId);
    expect(kept.revisions).toHaveLength(LIMITS.revisionsPerBoard);
    expect(kept.revisions[0]?.revision).toBe(3);
    expect(await inUse(kept.revisions[0]?.assetId)).toBe('asset_in_use');
    // The first is unused now, the second is in a message.
    expect(await inUse(revisions[0]?.assetId)).toBe('it went through');
    const shown = (await stage.read())[1]?.inputItems[1];
    expect(await inUse(shown?.type === 'asset_reference' ? shown.assetId : '')).toBe(
      'asset_in_use',
    );
    await core.boards.delete(a, a.id, boardId);
    expect(await code(core.boards.get(a, a.id, boardId))).toBe('board_not_found');
    expect(await inUse(kept.revisions[0]?.assetId)).toBe('it went through');
  });

  it('are created by their session or the people who direct it, up to a limit', async () => {
    const { boards } = stage.core;
    expect(await code(boards.create(b, a.id, { title: 'Not mine', text: 'x' }))).toBe('forbidden');
    expect(await code(boards.create(a, a.id, { title: 'Nothing' }))).toBe('invalid_request');
    const unknown = { title: 'Gone', assetId: `ast_${'0'.repeat(26)}` };
    expect(await code(boards.create(a, a.id, unknown))).toBe('asset_not_found');
    const first = await boards.create(a, a.id, { title: 'Once', text: 'x' }, 'key');
    expect(await boards.create(a, a.id, { title: 'Once', text: 'x' }, 'key')).toEqual(first);
    for (let n = 1; n < LIMITS.boardsPerSession; n++) await draw('x');
    expect(await code(draw('x'))).toBe('limit_reached');
    expect(await boards.list(OWNER, a.id)).toHaveLength(LIMITS.boardsPerSession);
  });
});
