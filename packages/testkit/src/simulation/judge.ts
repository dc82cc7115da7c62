import { isDeepStrictEqual } from 'node:util';
import type { Clock, Secrets } from '@stoa/core';
import type { ErrorCode, Message } from '@stoa/protocol';
import { StoaError } from '@stoa/protocol';
import type { AssetDisk } from '../virtual/asset-files.js';
import type { Call, Outcome, Upkeep } from './call.js';
import { violated } from './failure.js';
import type { Ledger } from './ledger.js';
import { expectedOfRead } from './model/expected-read.js';
import type { Model } from './model/model.js';
import { isInUse, sweepAway } from './model/removals.js';
import { type Asked, actorOf, type Person } from './model/verdict.js';
import { type Attempt, InjectedDefect } from './observed-store.js';
import { assetsBrought, describe } from './operation.js';
import { DIRECTORY, RETENTION } from './surroundings.js';

/** What the disk did in a flush. */
export type Trouble = 'none' | 'full' | 'crashed';

export interface Evidence {
  readonly model: Model;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly assetDisk: AssetDisk;
  readonly ledger: Ledger;
}

/** Holds what the program does against what the model says it has to do. */
export class Judge {
  /** The highest sequence of a post that a client was answered with, by client and channel. */
  readonly #answered = new Map<string, number>();

  constructor(private readonly world: Evidence) {}

  /** What was run in one flush, in order; of a transaction that was run again only the last counts. */
  flushed(attempts: readonly Attempt[], trouble: Trouble): void {
    const last = new Map(attempts.map((attempt) => [attempt.transaction, attempt]));
    for (const attempt of attempts) {
      if (last.get(attempt.transaction) !== attempt || !attempt.owner) continue;
      if ('upkeep' in attempt.owner) this.#upkeep(attempt.owner, attempt);
      else this.#transaction(attempt.owner, attempt, trouble);
    }
  }

  read(owner: Call | Upkeep | undefined): void {
    if (!owner || 'upkeep' in owner || owner.stage === 'over') return;
    const { model, secrets } = this.world;
    if (owner.stage === 'admitting') {
      owner.admitted = model.personOf(secrets.digest(owner.request.secret)) as Person | undefined;
      return;
    }
    owner.expected = expectedOfRead(model.state, owner) ?? owner.expected;
  }

  outcome(call: Call, outcome: Outcome): void {
    const expected = this.#expected(call);
    if (!this.#matches(call, expected, outcome)) {
      violated(`${describe(call.request)} came out wrong`, { outcome, expected });
    }
    if (outcome.kind === 'answer' && call.request.operation.kind === 'post' && !call.isReplay) {
      this.#inOrder(call, outcome.answer as Message);
    }
  }

  #expected(call: Call): Call['expected'] {
    const { by, request } = call;
    if (!by) return { kind: 'refusal', codes: ['unauthenticated'] };
    const isForOwner = request.operation.kind === 'mint' || request.operation.kind === 'revoke';
    if (isForOwner && !by.owner) return { kind: 'refusal', codes: ['forbidden'] };
    return call.expected;
  }

  #matches(call: Call, expected: Call['expected'], outcome: Outcome): boolean {
    const { assetDisk, secrets } = this.world;
    const isUndecided = expected === undefined || expected.kind === 'later';
    if (isUndecided || call.request.operation.kind === 'upload') {
      // Bytes are written before their record, and again after it where they were just collected.
      const isFull = assetDisk.full && assetsBrought(call.request.operation).length > 0;
      if (isFull && outcome.kind === 'refusal' && outcome.code === 'storage_full') return true;
    }
    if (isUndecided) return false;
    switch (expected.kind) {
      case 'answer':
        return outcome.kind === 'answer' && isDeepStrictEqual(outcome.answer, expected.answer);
      case 'refusal':
        return outcome.kind === 'refusal' && expected.codes.includes(outcome.code);
      case 'defect':
        return outcome.kind === 'defect' && outcome.error instanceof InjectedDefect;
      case 'minted': {
        if (outcome.kind !== 'answer') return false;
        const { token, credential } = outcome.answer as { token: string; credential: unknown };
        return (
          secrets.digest(token) === expected.hash &&
          isDeepStrictEqual(credential, expected.credential)
        );
      }
    }
  }

  /** The order in which a client is answered is the order of the log. */
  #inOrder({ request }: Call, { channelId, seq }: Message): void {
    const name = `${request.client} ${channelId}`;
    const before = this.#answered.get(name) ?? 0;
    if (seq <= before) violated(`${describe(request)} was answered out of order`, { seq, before });
    this.#answered.set(name, seq);
  }

  #transaction(call: Call, attempt: Attempt, trouble: Trouble): void {
    const { outcome, committed, written } = attempt;
    if (committed) {
      call.expected = this.#committed(call, attempt);
      call.transactions += 1;
      return;
    }
    // No client receives it, and the state it was decided on may never have been committed.
    if (trouble === 'crashed') return;
    if (outcome?.ok === false && outcome.error instanceof StoaError) {
      call.expected = this.#refused(call, written, outcome.error.code);
    } else if (outcome?.ok === false && outcome.error instanceof InjectedDefect) {
      call.expected = { kind: 'defect' };
    } else {
      if (trouble === 'none') violated(`${describe(call.request)} was not committed`, { attempt });
      call.expected = { kind: 'refusal', codes: ['storage_full'] };
    }
  }

  #refused(call: Call, written: Attempt['written'], code: ErrorCode): Call['expected'] {
    const { model } = this.world;
    const asked = this.#asked(call, written);
    return isRehearsal(call) ? model.refuseRehearsal(asked, code) : model.refuse(asked, code);
  }

  #committed(call: Call, { written }: Attempt): Call['expected'] {
    const { model, clock, secrets } = this.world;
    const { operation } = call.request;
    const asked = this.#asked(call, written);
    if (isRehearsal(call)) return model.passRehearsal(asked);
    const bytes = assetsBrought(operation)[call.assetIds.length];
    if (bytes) {
      const digest = secrets.digest(Buffer.from(bytes).toString());
      const by = actorOf(asked.by);
      const row = model.commitAsset(digest, bytes.length, by, clock.now(), written);
      call.assetIds.push(row.assetId);
      return model.afterAsset(asked, row);
    }
    if (operation.kind === 'delete_asset') return this.#assetDeleted(operation.assetId, written);
    const takesKey = operation.kind === 'post' || operation.kind === 'create_channel';
    call.isReplay = takesKey && written.events.length === 0;
    return model.commit(asked, written);
  }

  #assetDeleted(assetId: string, { removals }: Attempt['written']): Call['expected'] {
    const { state } = this.world.model;
    const isDeleted = removals.some((removal) => removal.kind === 'asset' && removal.count > 0);
    const isUsed = isInUse(state, assetId);
    if (!isDeleted) {
      // The rows of a deleted channel go when it is swept; until then they may hold the asset.
      const mayBeHeld = [...state.topics].some(
        ([name, { swept }]) => isGone(name, this.world) && !swept,
      );
      if (!isUsed && !mayBeHeld && state.assets.has(assetId)) {
        violated('an asset that nothing refers to was not deleted', { assetId });
      }
      return { kind: 'refusal', codes: ['asset_in_use'] };
    }
    if (isUsed || !state.assets.delete(assetId))
      violated('an asset in use was deleted', { assetId });
    return { kind: 'answer', answer: undefined };
  }

  #upkeep(upkeep: Upkeep, { committed, written, outcome }: Attempt): void {
    const { model, clock, ledger } = this.world;
    const { latest } = upkeep;
    const forgotten = ({ actor, key }: { actor: string; key: string }): void => {
      ledger.forgotten(actor.slice('human:'.length), key);
    };
    if (committed) {
      const sweeping = { latest, retention: RETENTION, forgotten };
      for (const removal of written.removals) sweepAway(model.state, removal, sweeping);
      for (const { assetId, at } of written.released) {
        const asset = model.state.assets.get(assetId);
        if (asset) asset.unusedSince = at;
      }
    }
    if (upkeep.upkeep === 'boot' && committed && written.events.length > 0) {
      const by: Person = { kind: 'human', id: 'owner', owner: true, credentialId: '' };
      const operation = {
        kind: 'mint',
        humanId: 'owner',
        name: `owner token of ${DIRECTORY}`,
      } as const;
      const chosen = { credentialId: written.credentials[0]?.credentialId, assetIds: [] };
      model.commit({ by, operation, key: undefined, at: clock.now(), chosen }, written);
    }
    if (outcome?.ok === false && outcome.error instanceof StoaError) {
      violated(`${upkeep.upkeep} was refused`, { error: outcome.error });
    }
  }

  #asked(call: Call, written: Attempt['written']): Asked {
    const { by, request, assetIds } = call;
    if (!by) return violated(`${describe(request)} wrote before it was admitted`);
    const made = written.events[0];
    const data = made ? (JSON.parse(made.body) as Record<string, string>) : {};
    return {
      by,
      operation: request.operation,
      key: request.key,
      at: this.world.clock.now(),
      chosen: {
        messageId: data.messageId,
        channelId: data.channelId,
        credentialId: data.credentialId,
        assetIds,
      },
    };
  }
}

/** The first transaction of a post that brings assets writes nothing. */
const isRehearsal = ({ request: { operation }, transactions }: Call): boolean =>
  transactions === 0 && operation.kind === 'post' && assetsBrought(operation).length > 0;

const isGone = (topic: string, { model }: Evidence): boolean =>
  topic.startsWith('channel:') && !model.state.channels.has(topic.slice('channel:'.length));
