import { describe, expect, it } from 'vitest';
import { expertiseIn } from './expertise.js';

describe('the expertise of a member that a text mentions', () => {
  it.each([
    ['deploy it with Kubernetes.', { expertiseTags: ['kubernetes', 'rust'] }, 1],
    ['is C++ or c# faster?', { expertiseTags: ['c++', 'C#'] }, 2],
    ['the machine learning part', { expertiseTags: ['machine learning'] }, 1],
    ['learning the machine', { expertiseTags: ['machine learning'] }, 0],
    ['who is the reviewer?', { role: 'Reviewer' }, 1],
    ['anything', {}, 0],
    ['anything', { expertiseTags: ['', '!'] }, 0],
  ])('%j %o', (text, member, expected) => {
    expect(expertiseIn(text, member)).toBe(expected);
  });
});
