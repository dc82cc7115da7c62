import { StoaProblem } from '@stoa/client';
import { describe, expect, it } from 'vitest';
import { durationText } from './durations.js';
import { emptyOf, problemsOf, summaryOf } from './problems.js';

const refused = (issues: { path: string; message: string }[]): StoaProblem =>
  new StoaProblem('invalid_request', 400, 'body is wrong', issues);

describe('what is wrong with a form', () => {
  it('is shown at the field whose value was refused, in plain words', () => {
    const error = refused([
      { path: 'body.title', message: 'must not be empty' },
      { path: 'body.autonomyPolicy.maxParallelPublicSpeakers', message: 'must be <= 20' },
      { path: 'body.purpose', message: 'must NOT have more than 2000 characters' },
    ]);
    const fields = ['title', 'purpose', 'autonomyPolicy.maxParallelPublicSpeakers'];
    expect(problemsOf(error, fields)).toEqual({
      fields: {
        title: 'This must not be empty.',
        'autonomyPolicy.maxParallelPublicSpeakers': 'At most 20.',
        purpose: 'At most 2000 characters.',
      },
      rest: undefined,
    });
  });

  it('uses durations for fields that contain durations', () => {
    const field = 'autonomyPolicy.leaseTimeoutMs';
    const error = refused([{ path: `body.${field}`, message: 'must be >= 1000' }]);
    const naming = { durations: new Set([field]), durationText };
    expect(problemsOf(error, [field], naming).fields).toEqual({ [field]: 'At least 1s.' });
  });

  it('belongs to the nearest field that contains the path, and to the missing one', () => {
    const error = refused([
      { path: 'body.permissions.allow.3', message: 'must not be empty' },
      { path: 'body.driver', message: "must have required property 'script'" },
      { path: 'params.agentId', message: 'is not the id of an agent: letters' },
      { path: 'body.image', message: 'must match pattern "^[a-z]$"' },
    ]);
    const fields = [
      'permissions',
      'permissions.allow',
      'driver',
      'driver.script',
      'agentId',
      'image',
    ];
    expect(problemsOf(error, fields).fields).toEqual({
      'permissions.allow': 'This must not be empty.',
      'driver.script': 'This must not be empty.',
      agentId: 'This is not the id of an agent: letters.',
      image: 'This has the wrong format.',
    });
  });

  it('says how a field is written that has a form of its own, and only where that is what is wrong', () => {
    const written = { agentId: 'Small letters.' };
    const naming = { written, byCode: { agent_exists: 'agentId' } };
    const malformed = refused([
      { path: 'params.agentId', message: 'must match pattern "^[a-z]$"' },
    ]);
    expect(problemsOf(malformed, ['agentId'], naming).fields).toEqual(written);
    const taken = new StoaProblem('agent_exists', 409, 'There is already an agent host');
    expect(problemsOf(taken, ['agentId'], naming).fields).toEqual({
      agentId: 'There is already an agent host',
    });
  });

  it('is counted at the foot, with what belongs to no field', () => {
    expect(summaryOf({ fields: {}, rest: undefined })).toBe(undefined);
    expect(summaryOf({ fields: emptyOf({ a: ' ', b: 'x' }), rest: undefined })).toBe(
      'One field needs a correction.',
    );
    expect(summaryOf({ fields: emptyOf({ a: '', b: '' }), rest: 'You may not' })).toBe(
      'You may not\n2 fields need a correction.',
    );
  });

  it('is found by the name its text begins with, or by its code', () => {
    const named = new StoaProblem('invalid_agent', 400, 'permissions: Shel(x): no such tool');
    expect(problemsOf(named, ['permissions'])).toEqual({
      fields: { permissions: 'Shel(x): no such tool' },
      rest: undefined,
    });
    const coded = new StoaProblem('unknown_member', 400, 'There is nobody called human:x here');
    expect(
      problemsOf(coded, ['actorId'], { byCode: { unknown_member: 'actorId' } }).fields,
    ).toEqual({ actorId: 'There is nobody called human:x here' });
  });

  it('is shown for the whole form if it belongs to no field', () => {
    expect(
      problemsOf(refused([{ path: 'body', message: 'has an unknown field x' }]), ['a']),
    ).toEqual({ fields: {}, rest: 'has an unknown field x' });
    expect(problemsOf(new StoaProblem('forbidden', 403, 'You may not'), ['a']).rest).toBe(
      'You may not',
    );
    expect(problemsOf(new Error('The wire is cut'), ['a']).rest).toBe('The wire is cut');
    expect(problemsOf(null, ['a'])).toEqual({ fields: {}, rest: undefined });
  });
});
