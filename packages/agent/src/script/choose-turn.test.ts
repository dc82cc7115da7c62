import { describe, expect, it } from 'vitest';
import { type Asked, type ChannelContext, chooseTurn, StepBudget } from './choose-turn.js';
import { parseScript } from './parse-script.js';

const SCRIPT = parseScript(`
turns:
  - { when: { answered: Builder }, steps: [{ say: after the builder }] }
  - { when: { answered: true }, steps: [{ say: after somebody }] }
  - { when: { addressed: true, contains: build }, steps: [{ say: asked to build }] }
  - { when: { addressed: false, answered: false }, steps: [{ say: asked in passing }] }
otherwise: [{ say: otherwise }]
`);

const play = (text: string, channel?: Partial<ChannelContext>): string | undefined => {
  const last = { messageId: 'msg_1', from: 'Ada', text };
  const defaults = { isAddressed: false, answeredBy: [], messageId: 'msg_1', last };
  const asked: Asked = {
    text,
    from: 'Ada',
    kind: channel ? 'channel_delivery' : 'input',
    channel: channel && { ...defaults, ...channel },
  };
  return chooseTurn(SCRIPT, [], asked, new StepBudget())?.steps[0]?.say?.text;
};

describe('the turn of a script in a channel', () => {
  it('depends on who has answered: anybody, or an agent by name in any case', () => {
    expect(play('x', { answeredBy: ['Host', 'BUILDER'] })).toBe('after the builder');
    expect(play('x', { answeredBy: ['Builders'] })).toBe('after somebody');
  });

  it('depends on whether the agent was addressed', () => {
    expect(play('build it', { isAddressed: true })).toBe('asked to build');
    expect(play('build it', {})).toBe('asked in passing');
    expect(play('else', { isAddressed: true })).toBe('otherwise');
  });

  it('never matches these conditions outside of channels', () => {
    expect(play('build it')).toBe('otherwise');
  });
});
