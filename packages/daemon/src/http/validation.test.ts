import {
  ChannelId,
  CreateChannel,
  PostMessage,
  StoaError,
  TaskId,
  UpdateChannel,
} from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileCheck, type Part } from './validation.js';

function refused(schema: z.ZodType, part: Part, value: unknown): StoaError {
  try {
    compileCheck(schema, part)(value);
  } catch (error) {
    if (error instanceof StoaError) return error;
  }
  throw new Error('it was let through');
}

describe('the problem of a request', () => {
  it('names the kind of id that a value should be', () => {
    const channel = refused(z.strictObject({ channelId: ChannelId }), 'params', {
      channelId: 'Lobby',
    });
    const words =
      'is not the id of a channel: lower case letters and digits, with - . _ between them';
    expect(channel.code).toBe('invalid_request');
    expect(channel.message).toBe(`Lobby ${words}`);
    expect(channel.issues).toEqual([{ path: 'params.channelId', message: words }]);
    const reply = refused(PostMessage, 'body', { text: 'x', replyToMessageId: 'msg_nope' });
    expect(reply.message).toBe(
      'msg_nope is not the id of a message: msg_ and 26 letters and digits',
    );
  });

  it('repeats only the beginning of long values, and names empty ones', () => {
    const task = z.strictObject({ taskId: TaskId });
    expect(refused(task, 'params', { taskId: 'x'.repeat(5_000) }).message).toMatch(
      /^x{60}… is not the id of a background task: /,
    );
    expect(refused(task, 'params', { taskId: '' }).message).toMatch(/^An empty text is not /);
  });

  it('names the field that must not be empty, without the part of the request', () => {
    const { message, issues } = refused(CreateChannel, 'body', { title: ' ' });
    expect(message).toBe('title must not be empty');
    expect(issues).toEqual([{ path: 'body.title', message: 'must not be empty' }]);
    expect(refused(PostMessage, 'body', { text: '' }).message).toBe('text must not be empty');
  });

  it('has one problem for a nullable value', () => {
    const { message, issues } = refused(UpdateChannel, 'body', {
      autonomyPolicy: { maxParallelPublicSpeakers: 0 },
    });
    expect(message).toBe('autonomyPolicy.maxParallelPublicSpeakers must be >= 1');
    expect(issues).toEqual([
      { path: 'body.autonomyPolicy.maxParallelPublicSpeakers', message: 'must be >= 1' },
    ]);
  });
});
