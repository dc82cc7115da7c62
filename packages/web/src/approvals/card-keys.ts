import type { Approval, ApprovalScope } from '@stoa/protocol';
import type { KeyHint } from '../ui/kbd.js';

/** What the reader is at: looking, or writing something to go with the answer. */
export type CardMode = 'look' | 'edit' | 'deny';

export type CardAct =
  | { readonly type: 'allow'; readonly scope: ApprovalScope }
  | { readonly type: 'answer'; readonly text: string }
  | { readonly type: 'mode'; readonly mode: CardMode };

interface CardKey {
  readonly key: string;
  readonly does: string;
  readonly act: CardAct;
}

/** The keys that answer what is shown, or begin to; none when it is settled. */
export function cardKeys({
  kind,
  state,
  suggestedRule,
  options = [],
}: Pick<Approval, 'kind' | 'state' | 'suggestedRule' | 'options'>): CardKey[] {
  if (state !== 'pending') return [];
  if (kind === 'question') {
    return [
      ...options.slice(0, MAX_DIGITS).map(({ label }, at) => ({
        key: String(at + 1),
        does: 'answer',
        act: { type: 'answer', text: label } as const,
      })),
      { key: 'e', does: 'write an answer', act: { type: 'mode', mode: 'edit' } },
    ];
  }
  const allow = (key: string, does: string, scope: ApprovalScope): CardKey => ({
    key,
    does,
    act: { type: 'allow', scope },
  });
  return [
    allow('a', 'allow', 'once'),
    ...(suggestedRule === undefined
      ? []
      : [
          allow('s', 'always in the session', 'session'),
          allow('w', 'always in the workspace', 'workspace'),
        ]),
    { key: 'e', does: 'edit and allow', act: { type: 'mode', mode: 'edit' } },
    { key: 'd', does: 'deny', act: { type: 'mode', mode: 'deny' } },
  ];
}

const MAX_DIGITS = 9;

interface Shown {
  readonly approval: Approval | undefined;
  readonly mode: CardMode;
  /** How many there are to choose from. */
  readonly count: number;
}

/** The keys that work now. Who writes has the keyboard for that. */
export function approvalHints({ approval, mode, count }: Shown): KeyHint[] {
  if (approval && mode !== 'look') return [['Esc', 'back']];
  const hints = new Map<string, string[]>();
  for (const { key, does } of approval ? cardKeys(approval) : []) {
    hints.set(does, [...(hints.get(does) ?? []), key]);
  }
  const canChoose = count > (approval ? 1 : 0);
  return [
    ...(canChoose ? [['j k', 'choose'] as const] : []),
    ...[...hints].map(([does, keys]) => [keys.join(' '), does] as const),
    ['Esc', 'close'],
  ];
}
