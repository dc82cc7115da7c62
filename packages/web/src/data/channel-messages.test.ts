import { type FollowItem, StoaProblem } from '@stoa/client';
import type { Message, MessagePage } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { ChannelMessages } from './channel-messages.js';
import type { LiveListener } from './live-hub.js';
import type { Pending } from './pending.js';

const AWAY = new StoaProblem('daemon_unreachable', 503, 'no daemon answers');
const REFUSED = new StoaProblem('internal', 500, 'something broke');
const DELETED = new StoaProblem('topic_not_found', 404, 'there is no such topic');

const message = (seq: number): Message => ({
  messageId: `msg_${seq}`,
  channelId: 'lobby',
  seq,
  author: { kind: 'human', id: 'human:ada', displayName: 'Ada' },
  addressedMemberIds: [],
  inputItems: [{ type: 'text', text: `text ${seq}` }],
  createdAt: seq,
  replyCount: 0,
  reactions: [],
  metadata: {},
});

const edited = (seq: number): FollowItem =>
  ({ type: 'message_edited', seq: 1_000 + seq, data: { messageId: `msg_${seq}` } }) as FollowItem;

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A daemon with a log, which may be away; and what it was asked. */
class Scene {
  problem: StoaProblem | undefined;
  readonly asked: string[] = [];
  pending: Pending[] = [];
  rests = 0;
  private tell: LiveListener = () => undefined;
  private endRest = (): void => undefined;
  readonly messages: ChannelMessages;

  constructor(private readonly count: number) {
    this.messages = new ChannelMessages('lobby', {
      client: {
        messages: {
          list: (_, { before, after, limit = 50 } = {}) => {
            const of = before === undefined ? '' : ` before ${before}`;
            this.asked.push(`list${of}${after === undefined ? '' : ` after ${after}`}`);
            return this.answer(() => this.page(limit, before, after));
          },
          get: (_, messageId) => {
            this.asked.push(`get ${messageId}`);
            return this.answer(() => ({ ...message(Number(messageId.slice(4))), editedAt: 1 }));
          },
        },
      },
      live: {
        listen: (_, listener) => {
          this.tell = listener;
          listener({ type: 'ready' });
          return () => undefined;
        },
      },
      sendQueue: {
        of: () => this.pending,
        listen: () => () => undefined,
        post: () => undefined,
        hide: ({ key }) => {
          this.pending = this.pending.filter((each) => each.key !== key);
        },
      },
      me: 'human:ada',
      rest: () => {
        this.rests += 1;
        return new Promise((resolve) => {
          this.endRest = resolve;
        });
      },
    });
  }

  get seqs(): number[] {
    return this.messages.view.messages.map(({ seq }) => seq);
  }

  async watch(): Promise<() => void> {
    const leave = this.messages.watch(() => undefined);
    await tick();
    return leave;
  }

  async hear(item: FollowItem): Promise<void> {
    this.tell({ type: 'item', item });
    await tick();
  }

  end(problem: StoaProblem): void {
    this.tell({ type: 'ended', problem });
  }

  async rested(): Promise<void> {
    this.endRest();
    await tick();
  }

  private answer<T>(make: () => T): Promise<T> {
    return this.problem ? Promise.reject(this.problem) : Promise.resolve(make());
  }

  private page(limit: number, before = this.count + 1, after?: number): MessagePage {
    const all = Array.from({ length: this.count }, (_, at) => message(at + 1));
    const fitting = all.filter(({ seq }) => (after === undefined ? seq < before : seq > after));
    const messages = after === undefined ? fitting.slice(-limit) : fitting.slice(0, limit);
    return { messages, hasMore: fitting.length > messages.length };
  }
}

describe('the messages of a channel', () => {
  it('are read when the daemon is back, if it was away when the channel was opened', async () => {
    const scene = new Scene(3);
    scene.problem = AWAY;
    await scene.watch();
    expect(scene.messages.view).toMatchObject({ status: 'failed', problem: AWAY });
    scene.problem = undefined;
    scene.messages.recover();
    await tick();
    expect(scene.messages.view.status).toBe('ready');
    expect(scene.seqs).toEqual([1, 2, 3]);
    scene.messages.recover();
    expect(scene.asked).toEqual(['list', 'list']);
  });

  it('stay on the screen when they cannot be read again, until they can', async () => {
    const scene = new Scene(3);
    const leave = await scene.watch();
    leave();
    scene.problem = AWAY;
    await scene.watch();
    expect(scene.messages.view.status).toBe('ready');
    expect(scene.seqs).toEqual([1, 2, 3]);
    scene.problem = undefined;
    scene.messages.recover();
    expect(scene.asked).toEqual(['list', 'list', 'list']);
  });

  it('are no more than a page when nobody looks, and begin at the end for who comes back', async () => {
    const scene = new Scene(300);
    let leave = await scene.watch();
    await scene.messages.loadOlder();
    expect(scene.seqs).toHaveLength(100);
    leave();
    expect(scene.seqs).toHaveLength(50);
    expect(scene.messages.view.hasOlder).toBe(true);

    leave = await scene.watch();
    await scene.messages.showAround(20);
    expect(scene.messages.view.hasNewer).toBe(true);
    leave();
    expect(scene.seqs).toEqual([]);
    await scene.watch();
    expect(scene.seqs.at(-1)).toBe(300);
  });

  it('are read again when they change, once, and not with every page that follows', async () => {
    const scene = new Scene(300);
    await scene.watch();
    await scene.hear(edited(299));
    await scene.messages.loadOlder();
    await tick();
    expect(scene.asked).toEqual(['list', 'get msg_299', 'list before 251']);
    expect(scene.messages.view.messages.at(-2)).toMatchObject({ seq: 299, editedAt: 1 });

    const page = scene.messages.loadOlder();
    await scene.hear(edited(298));
    await page;
    await tick();
    expect(scene.asked.filter((asked) => asked === 'get msg_298')).toHaveLength(2);
  });

  it('that changed while nobody answered are read when somebody does', async () => {
    const scene = new Scene(3);
    await scene.watch();
    scene.problem = AWAY;
    await scene.hear(edited(2));
    scene.problem = undefined;
    scene.messages.recover();
    await tick();
    expect(scene.messages.view.messages[1]).toMatchObject({ seq: 2, editedAt: 1 });
    expect(scene.asked).toEqual(['list', 'get msg_2', 'get msg_2']);
  });

  it('before those that are shown are not asked for again at once when they are refused', async () => {
    const scene = new Scene(300);
    await scene.watch();
    scene.problem = REFUSED;
    const first = scene.messages.loadOlder();
    await tick();
    await scene.messages.loadOlder();
    expect(scene.asked).toEqual(['list', 'list before 251']);
    expect(scene.rests).toBe(1);
    await scene.rested();
    await first;
    scene.problem = undefined;
    await scene.messages.loadOlder();
    expect(scene.seqs).toHaveLength(100);
  });

  it('have no hole when more is asked for while another stretch is on its way', async () => {
    const scene = new Scene(300);
    await scene.watch();
    const jump = scene.messages.showAround(20);
    await scene.messages.loadOlder();
    await jump;
    expect(scene.seqs.at(-1)).toBe(70);
    expect(scene.seqs).toHaveLength(70);
  });

  it('are not shown as pending as well when they are read before the daemon confirms them', async () => {
    const scene = new Scene(200);
    const pending = (key: string, at: number): Pending => ({
      key,
      channelId: 'lobby',
      post: { text: 'text 200' },
      at,
      state: 'sending',
    });
    // Written after the message of the same words: another one.
    scene.pending = [pending('read', 200), pending('another', 201)];
    await scene.watch();
    expect(scene.messages.view.pending.map(({ key }) => key)).toEqual(['another']);
  });

  it('are gone from the screen when their channel is', async () => {
    const scene = new Scene(3);
    await scene.watch();
    scene.end(DELETED);
    expect(scene.messages.view).toMatchObject({
      status: 'failed',
      problem: DELETED,
      messages: [],
    });
  });

  it('are read around the position that somebody returns to, even if it is requested before they watch', async () => {
    const scene = new Scene(200);
    const leave = await scene.watch();
    leave();
    // It is among what was left behind; what has changed there since is not known.
    await scene.messages.showAround(190);
    await scene.messages.showAround(20);
    await scene.watch();
    expect(scene.seqs[0]).toBe(1);
    expect(scene.seqs.at(-1)).toBe(70);
    expect(scene.asked).toEqual(['list', 'list before 21', 'list after 20']);
    await scene.messages.showAround(30);
    expect(scene.asked).toHaveLength(3);
  });
});
