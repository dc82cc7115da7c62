import type { AnswerApproval, Approval } from '@stoa/protocol';

/** What a person typed at the question, read; `again` says what can be typed. */
export type Reply =
  | { readonly type: 'answer'; readonly answer: AnswerApproval }
  | { readonly type: 'edit' }
  | { readonly type: 'again'; readonly hint: string };

/** The possible answers, shown before the cursor. */
export function replyPrompt({ kind, suggestedRule, options = [] }: Approval): string {
  if (kind === 'question') {
    return options.length > 0 ? 'Answer (a number or your own words): ' : 'Answer: ';
  }
  const always = suggestedRule === undefined ? '' : ', [a]lways (session), [w]orkspace (always)';
  return `Allow? [y]es, [n]o (why)${always}, [e]dit: `;
}

export function readReply(approval: Approval, line: string): Reply {
  return approval.kind === 'question' ? readAnswer(approval, line) : readDecision(approval, line);
}

function readAnswer({ options = [] }: Approval, line: string): Reply {
  const text = line.trim();
  if (text === '') return { type: 'again', hint: 'an answer needs at least one word' };
  const chosen = /^\d{1,3}$/.test(text) ? options[Number(text) - 1] : undefined;
  return { type: 'answer', answer: { decision: 'answer', answer: chosen?.label ?? text } };
}

function readDecision({ inputHash, suggestedRule }: Approval, line: string): Reply {
  const [word = '', ...rest] = line.trim().split(/\s+/);
  const reason = rest.join(' ');
  const allow = (scope: 'once' | 'session' | 'workspace'): Reply => ({
    type: 'answer',
    answer: { decision: 'allow', scope, inputHash },
  });
  switch (word.toLowerCase()) {
    case 'n':
    case 'no': {
      const message = reason === '' ? {} : { message: reason };
      return { type: 'answer', answer: { decision: 'deny', scope: 'once', ...message } };
    }
    case 'y':
    case 'yes':
      return reason === '' ? allow('once') : AGAIN;
    case 'e':
    case 'edit':
      return reason === '' ? { type: 'edit' } : AGAIN;
    case 'a':
    case 'always':
    case 'w':
    case 'workspace':
      if (suggestedRule === undefined) {
        return { type: 'again', hint: 'no rule describes this call: it can only be allowed once' };
      }
      if (reason !== '' && reason !== 'workspace' && reason !== 'session') return AGAIN;
      return allow(word.startsWith('w') || reason === 'workspace' ? 'workspace' : 'session');
    default:
      return AGAIN;
  }
}

const AGAIN: Reply = { type: 'again', hint: 'type y, n, a, w or e' };
