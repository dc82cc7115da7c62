import type { Lease, Member, Message, StampedDecision } from '@stoa/protocol';
import { type Caller, openSession, until } from '@stoa/testkit';

interface TestChannelOptions {
  readonly channelId: string;
  readonly policy?: object;
  /** Where its agents work. */
  readonly workspace: string;
}

/** A channel with agents in it, as a person sees it over HTTP. */
export class TestChannel {
  private constructor(
    private readonly owner: Caller,
    private readonly options: TestChannelOptions,
  ) {}

  static async open(owner: Caller, options: TestChannelOptions): Promise<TestChannel> {
    const { channelId, policy = {} } = options;
    const body = { channelId, title: 'Room', autonomyPolicy: policy };
    const made = await owner.post('/v1/channels', body);
    if (made.status !== 201) throw new Error(made.text);
    return new TestChannel(owner, options);
  }

  get path(): string {
    return `/v1/channels/${this.options.channelId}`;
  }

  get topic(): string {
    return `channel:${this.options.channelId}`;
  }

  /** With `definition`, more of what its agent is than what runs it. */
  async invite(agentId: string, driver: object, definition: object = {}): Promise<Member> {
    const { owner } = this;
    const put = await owner.put(`/v1/agents/${agentId}`, { driver, ...definition });
    if (put.status !== 200) throw new Error(put.text);
    const { workspace } = this.options;
    const actorId = `session:${await openSession(owner, { agentId, workspace })}`;
    const joined = await owner.post<Member>(`${this.path}/members`, { actorId });
    if (joined.status !== 200) throw new Error(joined.text);
    return joined.json;
  }

  async post(text: string, more: object = {}): Promise<Message> {
    const posted = await this.owner.post<Message>(`${this.path}/messages`, { text, ...more });
    if (posted.status !== 201) throw new Error(posted.text);
    return posted.json;
  }

  /** All of it, oldest first. */
  async messages(): Promise<Message[]> {
    const page = await this.owner.get<{ messages: Message[] }>(
      `${this.path}/messages?limit=100&after=0`,
    );
    return page.json.messages;
  }

  async read(): Promise<string[]> {
    return (await this.messages()).map(({ author, inputItems }) => {
      const [item] = inputItems;
      return `${author.displayName}: ${item?.type === 'text' ? item.text : ''}`;
    });
  }

  /** Waits until the turn that a message opened is over; tells how it ended. */
  closed(rootMessageId: string): Promise<string> {
    const isOver = async () => (await this.decisions(rootMessageId)).at(-1)?.turn.outcome;
    return until('the turn is over', isOver, { timeoutMs: 60_000 });
  }

  /** Oldest first. */
  async decisions(rootMessageId: string): Promise<StampedDecision[]> {
    const path = `${this.path}/threads/${rootMessageId}/decisions?limit=50`;
    const { json } = await this.owner.get<{ decisions: StampedDecision[] }>(path);
    return json.decisions.reverse();
  }

  /** Who had the turn, and the outcomes, oldest first. */
  async outcomes(rootMessageId?: string): Promise<[member: string, outcome: string][]> {
    const { json } = await this.owner.get<{ leases: Lease[] }>(`${this.path}/leases?state=all`);
    return json.leases
      .filter((lease) => rootMessageId === undefined || lease.threadRootMessageId === rootMessageId)
      .map(({ memberId, outcome }): [string, string] => [memberId, outcome ?? 'live'])
      .reverse();
  }
}

export const scripted = (script: string) => ({ kind: 'script', script });
