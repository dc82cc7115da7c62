import { describe, expect, it } from 'vitest';
import { type Acknowledged, type Logged, Oracle, type Post } from './oracle.js';

const post = (text: string): Post => ({
  key: text,
  channelId: 'lobby',
  text,
  asset: undefined,
});

const answer = (text: string, seq: number): Acknowledged => ({
  messageId: `msg_${text}`,
  seq,
  inputItems: [{ text }],
});

const logged = (text: string, seq: number): Logged => {
  const { messageId, inputItems } = answer(text, seq);
  return { seq, type: 'message_posted', data: { messageId, inputItems } };
};

describe('the oracle of the crash harness', () => {
  it('is content when everything acknowledged is there once', () => {
    const oracle = new Oracle();
    oracle.acknowledge(post('one'), answer('one', 1));
    oracle.read('lobby', logged('one', 1));
    oracle.read('lobby', logged('never answered', 2));
    oracle.receive('lobby', logged('one', 1));
    oracle.assertKept();
    expect(oracle.acknowledged).toHaveLength(1);
  });

  it('notices a post that was acknowledged and is lost', () => {
    const oracle = new Oracle();
    oracle.acknowledge(post('one'), answer('one', 1));
    oracle.acknowledge(post('two'), answer('two', 2));
    oracle.read('lobby', logged('one', 1));
    expect(() => oracle.assertKept()).toThrow(/"two" was acknowledged .* there is undefined/);
  });

  it('notices a post that is stored twice', () => {
    const oracle = new Oracle();
    oracle.acknowledge(post('one'), answer('one', 1));
    oracle.read('lobby', logged('one', 1));
    expect(() => oracle.read('lobby', logged('one', 2))).toThrow(
      '"one" is stored as lobby 1 and as lobby 2',
    );
  });

  it('notices a post whose sequence or text belongs to another', () => {
    const oracle = new Oracle();
    oracle.acknowledge(post('one'), answer('one', 1));
    oracle.read('lobby', logged('other', 1));
    oracle.read('lobby', logged('one', 2));
    expect(() => oracle.assertKept()).toThrow('"one" was acknowledged');
  });

  it('notices a hole in a log', () => {
    const oracle = new Oracle();
    oracle.read('lobby', logged('one', 1));
    expect(() => oracle.read('lobby', logged('three', 3))).toThrow(
      'the log of lobby has 3 after 1',
    );
  });

  it('notices a key that is answered in two ways', () => {
    const oracle = new Oracle();
    oracle.acknowledge(post('one'), answer('one', 1));
    expect(() => oracle.acknowledge(post('one'), answer('one', 2))).toThrow('and then with');
  });

  it('notices that a live reader received something that is not in the log', () => {
    const oracle = new Oracle();
    oracle.receive('lobby', logged('rumour', 1));
    oracle.read('lobby', logged('one', 1));
    expect(() => oracle.assertKept()).toThrow('a live reader of lobby received');
  });
});
