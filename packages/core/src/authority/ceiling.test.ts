import { type Ceiling, LIMITS, PermissionMode } from '@stoa/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, type Policy } from '../permissions/decide.js';
import type { ToolRequest } from '../permissions/request.js';
import { capPolicy, isNoLower, isSameCeiling, lowerCeiling, type Requesters } from './ceiling.js';

const MODES = PermissionMode.options;
const WORKSPACE = '/w';

const TOOLS: Readonly<Record<string, ToolRequest>> = {
  'read inside': path('read_file', 'read', '/w/a.txt', true),
  'read outside': path('read_file', 'read', '/etc/passwd', false),
  'edit inside': path('write_file', 'edit', '/w/a.txt', true),
  'edit outside': path('write_file', 'edit', '/etc/passwd', false),
  'run a command': { tool: 'shell', kind: 'execute', subject: { type: 'shell', command: 'make' } },
  'fetch a page': { tool: 'web_fetch', kind: 'fetch', subject: { type: 'url', host: 'a.example' } },
  'call an MCP tool': {
    tool: 'mcp__docs__find',
    kind: 'other',
    subject: { type: 'mcp', server: 'docs', tool: 'find' },
  },
  'write to standard input': {
    tool: 'send_message',
    kind: 'speak',
    subject: { type: 'input', text: 'make' },
  },
  'keep a note': { tool: 'remember', kind: 'speak', subject: { type: 'none', isPrivate: true } },
  'read notes': { tool: 'recall', kind: 'read', subject: { type: 'none', isPrivate: true } },
  'delete a note': { tool: 'forget', kind: 'speak', subject: { type: 'none', isPrivate: true } },
  'list background tasks': {
    tool: 'task_status',
    kind: 'read',
    subject: { type: 'none', isPrivate: true },
  },
  'read the output of a task': {
    tool: 'task_output',
    kind: 'read',
    subject: { type: 'none', isPrivate: true },
  },
  'stop a task': { tool: 'task_stop', kind: 'speak', subject: { type: 'none', isPrivate: true } },
  'read a thread': { tool: 'read_channel_thread', kind: 'read', subject: { type: 'none' } },
  'say something': { tool: 'send_message', kind: 'speak', subject: { type: 'none' } },
};

function path(
  tool: string,
  kind: ToolRequest['kind'],
  file: string,
  insideWorkspace: boolean,
): ToolRequest {
  return { tool, kind, subject: { type: 'path', path: file, insideWorkspace, insideHome: false } };
}

const RULE_SETS = {
  none: {},
  'all allowed': { allow: ['Shell', 'Edit', 'Fetch', 'Mcp', 'Read'] },
  'make allowed': { allow: ['Shell(make)'] },
  'make denied': { deny: ['Shell(make)'] },
  'edits asked about': { ask: ['Edit'] },
} as const;

const policy = (mode: PermissionMode, rules: keyof typeof RULE_SETS): Policy => ({
  mode,
  workspace: WORKSPACE,
  rules: [
    { source: 'session', rules: structuredClone(RULE_SETS[rules]) as Policy['rules'][0]['rules'] },
  ],
});

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
const strictness = (request: ToolRequest, under: Policy): number =>
  STRICTNESS[decide(request, under).outcome];

const OWN: Requesters = { strangers: [], isShared: false, senders: [] };
const anyMode = fc.constantFrom(...MODES);
const anyRules = fc.constantFrom(...(Object.keys(RULE_SETS) as (keyof typeof RULE_SETS)[]));
const anyPolicy = fc.tuple(anyMode, anyRules).map(([mode, rules]) => policy(mode, rules));
const ids = (prefix: string, most: number) =>
  fc.uniqueArray(
    fc.integer({ min: 0, max: 40 }).map((n) => `${prefix}${String(n)}`),
    { maxLength: most },
  );
const anyCeiling: fc.Arbitrary<Ceiling> = fc.record({
  mode: anyMode,
  people: ids('human:', LIMITS.ceilingPeople),
  sessions: ids('ses_', LIMITS.ceilingSessions),
});
const anyRequesters: fc.Arbitrary<Requesters> = fc.record({
  strangers: fc.constantFrom([], ['human:bob']),
  isShared: fc.boolean(),
  senders: fc.array(anyPolicy, { maxLength: 3 }),
});

describe.each(Object.entries(TOOLS))('who asked, and %s', (_, request) => {
  it('SE-14 SE-40 a request never allows more than the session and all its senders have', () => {
    fc.assert(
      fc.property(anyPolicy, anyCeiling, anyRequesters, (own, ceiling, requesters) => {
        const capped = strictness(request, capPolicy(own, ceiling, requesters));
        expect(capped).toBeGreaterThanOrEqual(strictness(request, own));
        for (const sender of requesters.senders) {
          expect(capped).toBeGreaterThanOrEqual(strictness(request, sender));
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each(MODES)('SE-14 a stranger gets at most mode ask of a session in mode %s', (mode) => {
    for (const rules of Object.keys(RULE_SETS) as (keyof typeof RULE_SETS)[]) {
      const own = policy(mode, rules);
      const ceiling: Ceiling = { mode: 'full', people: ['human:bob'], sessions: [] };
      const strangers = ['human:bob'];
      const there = capPolicy(own, ceiling, { strangers, isShared: false, senders: [] });
      const shared = capPolicy(own, ceiling, { strangers, isShared: true, senders: [] });
      const asks = policy('ask', 'none');
      expect(strictness(request, shared)).toBeGreaterThanOrEqual(strictness(request, asks));
      const { subject } = request;
      const isFile = request.kind === 'read' && subject.type === 'path';
      const isPrivate = subject.type === 'none' && subject.isPrivate === true;
      const least = isFile || isPrivate ? STRICTNESS.ask : 0;
      expect(strictness(request, there)).toBeGreaterThanOrEqual(least);
      // Notes and tasks are private in a shared workspace too.
      if (isPrivate) expect(strictness(request, shared)).toBeGreaterThanOrEqual(STRICTNESS.ask);
    }
  });

  it('keeps the authority of the session if its own person asks', () => {
    fc.assert(
      fc.property(anyPolicy, (own) => {
        const capped = capPolicy(own, { mode: 'full', people: [], sessions: [] }, OWN);
        expect(decide(request, capped).outcome).toBe(decide(request, own).outcome);
      }),
    );
  });
});

describe('a ceiling', () => {
  it('SE-42 is never raised by another one, in any order', () => {
    fc.assert(
      fc.property(anyCeiling, anyCeiling, (one, other) => {
        const both = lowerCeiling(one, other);
        const turned = lowerCeiling(other, one);
        expect(both?.mode).toBe(turned?.mode);
        for (const { mode } of [one, other]) {
          expect(MODES.indexOf(both?.mode ?? 'full')).toBeLessThanOrEqual(MODES.indexOf(mode));
        }
        const isWhole = [...one.sessions, ...other.sessions].every((id) =>
          both?.sessions.includes(id),
        );
        expect(isWhole || both?.mode === 'plan').toBe(true);
      }),
    );
  });

  it('is the same in any order of its names', () => {
    const one: Ceiling = { mode: 'ask', people: ['human:a', 'human:b'], sessions: [] };
    expect(isSameCeiling(one, { ...one, people: ['human:b', 'human:a'] })).toBe(true);
    expect(isSameCeiling(one, { ...one, people: ['human:a'] })).toBe(false);
    expect(isSameCeiling(undefined, one)).toBe(false);
    expect(isSameCeiling(undefined, undefined)).toBe(true);
  });

  it('SE-41 a sender with the same rules and mode lowers nothing; one with a deny rule or a lower mode does', () => {
    const own = policy('auto-edit', 'make allowed');
    const under = (sender: Policy): Policy =>
      capPolicy(
        own,
        { mode: 'full', people: [], sessions: ['ses_1'] },
        { ...OWN, senders: [sender] },
      );
    expect(isNoLower(own, under(own))).toBe(true);
    expect(isNoLower(own, under(policy('ask', 'make allowed')))).toBe(false);
    expect(isNoLower(own, under(policy('auto-edit', 'make denied')))).toBe(false);
    expect(isNoLower(own, under(policy('auto-edit', 'none')))).toBe(false);
  });

  it('SE-41 another person lowers also a session in mode ask without rules, in a shared workspace', () => {
    const own = policy('ask', 'none');
    const ceiling: Ceiling = { mode: 'ask', people: ['human:bob'], sessions: [] };
    const shared = { strangers: ['human:bob'], isShared: true, senders: [] };
    const capped = capPolicy(own, ceiling, shared);
    expect(isNoLower(own, capped)).toBe(false);
    expect(isNoLower(capped, own)).toBe(false);
    expect(isNoLower(capped, capPolicy(own, ceiling, shared))).toBe(true);
  });
});
