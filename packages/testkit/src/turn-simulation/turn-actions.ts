import type { PostMessage } from '@stoa/protocol';
import { OWNER } from '../runtime/runtime-world.js';
import type { KnownMessage, LeaseModel } from './channel-model.js';
import {
  crashWithClaim,
  stimulusOfPeople,
  stimulusOfSession,
  takeBackOrReplay,
} from './stimulus-actions.js';
import { CHANNEL, MODES, type Post, type TurnWorld } from './turn-world.js';

interface TurnAction {
  readonly name: string;
  readonly weight: number;
  /** Returns a short description of what it did. */
  readonly run: (world: TurnWorld) => string | Promise<string>;
}

/**
 * Everything that may happen next. What people, agents and time do is asked for here and happens when
 * the daemon gets to it.
 */
const TURN_ACTIONS: readonly TurnAction[] = [
  { name: 'post', weight: 8, run: post },
  { name: 'address', weight: 7, run: address },
  { name: 'reply', weight: 14, run: reply },
  { name: 'send again', weight: 4, run: sendAgain },
  { name: 'react', weight: 4, run: react },
  { name: 'edit', weight: 2, run: edit },
  { name: 'delete', weight: 1, run: deleteOne },
  { name: 'pause or resume', weight: 4, run: pauseOrResume },
  { name: 'archive', weight: 1, run: archive },
  { name: 'join or change', weight: 4, run: joinOrChange },
  { name: 'leave', weight: 2, run: leave },
  { name: 'speak aside', weight: 2, run: speakAside },
  { name: 'other work', weight: 3, run: otherWork },
  { name: 'stimulus of people', weight: 6, run: stimulusOfPeople },
  { name: 'stimulus of a session', weight: 6, run: stimulusOfSession },
  { name: 'stimulus taken back or put in again', weight: 2, run: takeBackOrReplay },
  { name: 'answer', weight: 6, run: answer },
  { name: 'cancel', weight: 2, run: cancel },
  { name: 'clear', weight: 1, run: clear },
  { name: 'end a session', weight: 1, run: endSession },
  { name: 'time', weight: 12, run: time },
  { name: 'clock jump', weight: 2, run: clockJump },
  { name: 'tick', weight: 3, run: tick },
  { name: 'crash before a commit', weight: 3, run: crashBefore },
  { name: 'crash after a commit', weight: 3, run: crashAfter },
  { name: 'crash between claim and post', weight: 3, run: crashWithClaim },
];

const UNARCHIVE: TurnAction = { name: 'unarchive', weight: 60, run: unarchive };

export const actionsIn = (world: TurnWorld): readonly TurnAction[] =>
  channelOf(world)?.archived ? [UNARCHIVE, ...TURN_ACTIONS] : TURN_ACTIONS;

function post(world: TurnWorld): string {
  return send(world, {}, world.random.chance(0.2) ? anyName(world) : undefined);
}

function address(world: TurnWorld): string {
  const names = [...world.sessions.keys()];
  const addressedMemberIds = Array.from({ length: world.random.between(1, 2) }, () =>
    world.random.pick(names),
  );
  return send(world, { addressedMemberIds });
}

function reply(world: TurnWorld): string {
  const message = anyMessage(world);
  return message ? send(world, { replyToMessageId: message.messageId }) : post(world);
}

function send(world: TurnWorld, position: Partial<PostMessage>, name?: string): string {
  const key = `k${String(world.posts.length)}`;
  const text = `${key} something${name === undefined ? '' : ` @${name}`}`;
  const one: Post = { key, request: { text, ...position } };
  world.posts.push(one);
  const times = world.random.chance(0.1) ? 2 : 1;
  for (let i = 0; i < times; i++) deliver(world, one);
  return `${key} ${JSON.stringify(position)}`;
}

function deliver(world: TurnWorld, { key, request }: Post): void {
  world.call(world.core.channels.post(OWNER, CHANNEL, request, key));
}

/** A client did not receive the outcome of a post, or did not trust it. */
function sendAgain(world: TurnWorld): string {
  if (world.posts.length === 0) return '';
  const one = world.random.pick(world.posts);
  deliver(world, one);
  return one.key;
}

function react(world: TurnWorld): string {
  const message = anyMessage(world);
  if (!message) return '';
  const { channels } = world.core;
  const change = { emoji: world.random.pick(['👍', '🎉']) };
  const { messageId } = message;
  if (world.random.chance(0.8)) world.call(channels.react(OWNER, CHANNEL, messageId, change));
  else world.call(channels.unreact(OWNER, CHANNEL, messageId, change));
  return messageId;
}

function edit(world: TurnWorld): string {
  const message = anyMessage(world, true);
  if (!message) return '';
  const { messageId } = message;
  const text = world.random.chance(0.5) ? `better @${anyName(world)}` : 'better';
  world.call(world.core.channels.edit(OWNER, CHANNEL, messageId, { text }));
  return messageId;
}

function deleteOne(world: TurnWorld): string {
  const message = anyMessage(world, true);
  if (!message) return '';
  world.call(world.core.channels.deleteMessage(OWNER, CHANNEL, message.messageId));
  return message.messageId;
}

function pauseOrResume(world: TurnWorld): string {
  const paused = !(channelOf(world)?.paused ?? false);
  world.call(world.core.channels.update(OWNER, CHANNEL, { paused }));
  return paused ? 'pause' : 'resume';
}

function archive(world: TurnWorld): string {
  world.call(world.core.channels.archive(OWNER, CHANNEL));
  return '';
}

/** Nothing can be posted in an archived channel, so it is unarchived soon. */
function unarchive(world: TurnWorld): string {
  world.call(world.core.channels.unarchive(OWNER, CHANNEL));
  return '';
}

function joinOrChange(world: TurnWorld): string {
  const name = anyAgent(world);
  const change = {
    ...(world.random.chance(0.5) ? { muted: world.random.chance(0.5) } : {}),
    ...(world.random.chance(0.5) ? { participationMode: world.random.pick([...MODES, null]) } : {}),
  };
  const actorId = `session:${world.sessions.get(name) ?? ''}`;
  const member = { actorId, memberId: name, displayName: name, ...change };
  world.call(world.core.channels.upsertMember(OWNER, CHANNEL, member));
  return `${name} ${JSON.stringify(change)}`;
}

function leave(world: TurnWorld): string {
  const name = anyAgent(world);
  world.call(world.core.channels.removeMember(OWNER, CHANNEL, name));
  return name;
}

/** What an agent says without having been given a turn. */
function speakAside(world: TurnWorld): string {
  const name = anyAgent(world);
  const message = anyMessage(world);
  const id = world.sessions.get(name) ?? '';
  const by = { kind: 'session', id, credentialId: 's' } as const;
  const position = message ? { replyToMessageId: message.messageId } : {};
  const text = `by the way @${anyName(world)}`;
  world.call(world.core.channels.post(by, CHANNEL, { text, ...position }));
  return name;
}

/** A session has other things to do: a turn it is given has to wait for them. */
function otherWork(world: TurnWorld): string {
  const name = anyAgent(world);
  world.otherWork += 1;
  const rule = world.random.pick(['followup', 'interrupt'] as const);
  const sessionId = world.sessions.get(name) ?? '';
  world.call(world.core.inbox.submit(OWNER, sessionId, { text: 'go', rule }));
  return `${name} ${rule}`;
}

function answer(world: TurnWorld): string {
  const [approval] = pendingApprovals(world);
  if (!approval) return '';
  const isAllowed = world.random.chance(0.7);
  const decision = isAllowed ? ('allow' as const) : ('deny' as const);
  const { approvalId } = approval;
  world.call(world.core.approvals.answer(OWNER, approvalId, { decision, scope: 'once' }));
  return decision;
}

export const pendingApprovals = (world: TurnWorld): { readonly approvalId: string }[] =>
  world.disk.rows<{ approvalId: string }>(
    `SELECT "approvalId" FROM "approvals" WHERE "state" = 'pending' ORDER BY "approvalId"`,
  );

function cancel(world: TurnWorld): string {
  const lease = anyLease(world);
  if (!lease) return '';
  world.call(world.core.runs.cancel(OWNER, lease.runId));
  return lease.runId;
}

function clear(world: TurnWorld): string {
  const name = anyAgent(world);
  world.call(world.core.sessions.clear(OWNER, world.sessions.get(name) ?? ''));
  return name;
}

function endSession(world: TurnWorld): string {
  const name = anyAgent(world);
  world.call(world.core.sessions.end(OWNER, world.sessions.get(name) ?? ''));
  return name;
}

function time(world: TurnWorld): string {
  const milliseconds = world.random.pick([500, 3_000, 6_000, 11_000, 31_000]);
  world.pass(milliseconds);
  return `${String(milliseconds)} ms`;
}

function clockJump(world: TurnWorld): string {
  const milliseconds = world.random.pick([-60_000, -20_000, -1_000, 86_400_000]);
  world.pass(milliseconds);
  return `${String(milliseconds)} ms`;
}

function tick(world: TurnWorld): string {
  world.call(world.host.tick());
  return '';
}

async function crashBefore(world: TurnWorld): Promise<string> {
  const was = world.host.flush ? 'something was to be committed' : 'nothing was to be committed';
  await world.restart();
  return was;
}

async function crashAfter(world: TurnWorld): Promise<string> {
  const did = world.commit() ? 'nothing was acknowledged' : 'nothing was committed';
  await world.restart();
  return did;
}

const channelOf = (world: TurnWorld) => world.ledger.channels.get(CHANNEL);

const anyAgent = (world: TurnWorld): string => world.random.pick([...world.sessions.keys()]);

const anyName = (world: TurnWorld): string =>
  world.random.chance(0.1) ? 'owner' : anyAgent(world);

function anyMessage(world: TurnWorld, isHuman = false): KnownMessage | undefined {
  const all = [...(channelOf(world)?.messages.values() ?? [])].filter(
    (message) => message.isHuman || !isHuman,
  );
  // Recent messages get most replies.
  const near = all.slice(-4);
  return near.length === 0 ? undefined : world.random.pick(near);
}

function anyLease(world: TurnWorld): LeaseModel | undefined {
  const live = [...(channelOf(world)?.leases.values() ?? [])].filter(({ isLive }) => isLive);
  return live.length === 0 ? undefined : world.random.pick(live);
}
