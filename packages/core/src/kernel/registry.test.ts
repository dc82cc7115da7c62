import { TOPICS } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { MODULES } from '../create-core.js';
import { type AnyModule, defineModule, inOrderOfNeeds, logOnly } from './module.js';
import { Registry } from './registry.js';

const below = defineModule({
  name: 'below',
  needs: [],
  events: { member_left: logOnly },
  create: () => ({ services: {} }),
});
const above = defineModule({
  name: 'above',
  needs: [below],
  create: () => ({ services: {} }),
});

describe('the modules of core', () => {
  it('declare every event of the protocol once', () => {
    const types = TOPICS.flatMap(({ events }) =>
      events.unwrap().options.map(({ shape }) => shape.type.value),
    );
    expect([...new Registry(MODULES).eventTypes].sort()).toEqual([...types].sort());
  });

  it('come after those they need, otherwise in the order of their names', () => {
    const named = (name: string, ...needs: AnyModule[]): AnyModule =>
      defineModule({ name, needs, create: () => ({ services: {} }) });
    const b = named('b');
    const a = named('a', b);
    const listed = [named('e'), a, named('c', a), named('d'), b];
    expect(inOrderOfNeeds(listed).map(({ name }) => name)).toEqual(['b', 'a', 'c', 'd', 'e']);
  });

  it('are refused in an order in which one comes before a module it needs', () => {
    expect(() => new Registry([above, below])).toThrow('above needs below');
    expect(new Registry([below, above]).eventTypes).toEqual(['member_left']);
  });

  it('are refused when two declare the same event', () => {
    const other = { ...below, name: 'other' };
    expect(() => new Registry([below, other])).toThrow('member_left is declared by two modules');
  });
});
