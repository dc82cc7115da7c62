import type { Writing } from '@stoa/client';
import { describe, expect, it } from 'vitest';
import { WritingLine, writingText } from './writing-line.js';

const writing = (displayName: string, text: string): Writing => ({
  runId: `run_${displayName}`,
  memberId: displayName,
  displayName,
  threadRootMessageId: 'msg_1',
  replyToMessageId: 'msg_1',
  text,
});

describe('who is writing, on a terminal', () => {
  it('C-68 shows the end of what one writes, and of several who they are', () => {
    expect(writingText([writing('bee', 'Hello')], 80)).toBe('✎ bee is writing: Hello');
    expect(writingText([writing('bee', 'one two three')], 24)).toBe('✎ bee is writing: …three');
    expect(writingText([writing('bee', 'x'), writing('ant', 'y')], 80)).toBe(
      '✎ bee, ant are writing',
    );
    expect(writingText([writing('b\u001b[2J', 'a\nb')], 80)).toBe('✎ b␛[2J is writing: a ⏎ b');
  });

  it('is one line that is written over, and taken away', () => {
    let out = '';
    const line = new WritingLine(
      (text) => (out += text),
      () => 30,
    );
    line.show([writing('bee', 'Hel')]);
    line.show([writing('bee', 'Hello')]);
    line.show([]);
    line.clear();
    expect(out).toBe('✎ bee is writing: Hel\r\u001b[2K✎ bee is writing: Hello\r\u001b[2K');
    expect(writingText([writing('bee', '部'.repeat(40))], 30)).toBe(
      '✎ bee is writing: …部部部部部',
    );
  });
});
