import { type Client, type FollowItemOf, LiveDrafts, leaseOutcomeWords } from '@stoa/client';
import type { Member, StampedDecision } from '@stoa/protocol';
import { bodyOf } from '../terminal/message-text.js';
import { type Cast, sessionIdOf } from './cast.js';
import type { Pace } from './pace.js';
import type { Scene } from './scenes.js';
import type { StageView } from './stage-view.js';

type Item = FollowItemOf<`channel:${string}`, true>;
type Decided = Extract<Item, { type: 'turn_decided' }>;

/** Calls whose result is shown instead. */
const SHOWN_OTHERWISE: readonly string[] = ['emit_output', 'pass_turn', 'set_channel_reaction'];
const FACT_MS = 1_300;
const WRITING_MS = 1_100;

/** Plays scenes in a channel and shows the reactions, one after the other. */
export class Play {
  private readonly drafts = new LiveDrafts();
  private readonly holders = new Map<string, Member>();
  private readonly authors = new Map<string, string>();
  /** The last shown sequence of each session's journal. */
  private readonly shownUpTo = new Map<string, number>();

  constructor(
    private readonly client: Client,
    private readonly cast: Cast,
    private readonly view: StageView,
    private readonly pace: Pace,
    private readonly items: AsyncIterator<Item, undefined>,
  ) {}

  /** Resolves with the message that opened it, when its turn is over. */
  async scene({ title, says }: Scene): Promise<string> {
    this.view.title(title);
    await this.pace.wait(FACT_MS);
    await this.view.type(says);
    const { messageId } = await this.client.messages.post(this.cast.channelId, says);
    for (;;) {
      const { value: item, done } = await this.items.next();
      if (done) throw new Error('the demonstration ended too early');
      await this.show(item);
      if (item.type !== 'turn_decided' || item.data.turn.originMessageId !== messageId) continue;
      if (item.data.turn.outcome !== undefined) return messageId;
    }
  }

  private async show(item: Item): Promise<void> {
    switch (item.type) {
      case 'draft':
      case 'draft_ended':
        this.drafts.take(item);
        this.view.writing(this.drafts.writing);
        if (item.type === 'draft') await this.pace.wait(WRITING_MS);
        return;
      case 'message_posted': {
        const { author, messageId, inputItems } = item.data;
        const member = this.memberOf(author.id);
        if (!member) return;
        this.authors.set(messageId, member.displayName);
        await this.showTools(member);
        const words = bodyOf(inputItems);
        this.view.say(member.displayName, words);
        await this.pace.read(words);
        return;
      }
      case 'reaction_set': {
        const member = this.memberOf(item.actor);
        if (!member) return;
        const whom = this.authors.get(item.data.messageId) ?? 'you';
        this.view.fact(
          member.displayName,
          `reacts with ${item.data.emoji} to the message of ${whom}`,
        );
        await this.pace.wait(FACT_MS);
        return;
      }
      case 'turn_decided':
        await this.showDecision(item);
        return;
      default:
        return;
    }
  }

  private async showDecision({ data }: Decided): Promise<void> {
    for (const { leaseId, memberId } of data.granted) {
      const member = this.cast.members.find((known) => known.memberId === memberId);
      if (member) this.holders.set(leaseId, member);
    }
    for (const end of data.ended) {
      const { leaseId, outcome } = end;
      const member = this.holders.get(leaseId);
      if (!member) continue;
      await this.showTools(member);
      if (outcome === 'spoke') await this.showHandOver(member, data);
      else if (outcome !== 'reacted') {
        this.view.fact(member.displayName, leaseOutcomeWords(end));
        await this.pace.wait(FACT_MS);
      }
    }
  }

  private async showHandOver(
    from: Member,
    { granted, candidates }: Decided['data'],
  ): Promise<void> {
    for (const { memberId } of granted) {
      const candidate = candidates.find((known) => known.memberId === memberId);
      const to = this.cast.members.find((known) => known.memberId === memberId);
      if (candidate?.reason !== 'called' || !to) continue;
      this.view.fact(from.displayName, `hands over to ${to.displayName}`);
      await this.pace.wait(FACT_MS);
    }
  }

  private async showTools(member: Member): Promise<void> {
    const topic = `session:${sessionIdOf(member)}` as const;
    const after = this.shownUpTo.get(topic) ?? 0;
    const { events } = await this.client.topics.read(topic, { after, limit: 200 });
    for (const event of events) {
      this.shownUpTo.set(topic, event.seq);
      if (event.type !== 'tool_call' || SHOWN_OTHERWISE.includes(event.data.tool)) continue;
      this.view.fact(member.displayName, `uses ${event.data.tool} (${event.data.title})`);
      await this.pace.wait(FACT_MS);
    }
  }

  private memberOf(actorId: string): Member | undefined {
    return this.cast.members.find((member) => member.actorId === actorId);
  }
}

/** The decision by which somebody was called. */
export async function handOverIn(
  client: Client,
  channelId: string,
  rootMessageId: string,
): Promise<StampedDecision | undefined> {
  const { decisions } = await client.turns.decisions(channelId, rootMessageId);
  return [...decisions]
    .reverse()
    .find(({ granted, candidates }) =>
      granted.some(({ memberId }) =>
        candidates.some((known) => known.memberId === memberId && known.reason === 'called'),
      ),
    );
}
