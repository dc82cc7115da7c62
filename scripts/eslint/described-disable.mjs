// A comment that disables a rule gives the reason: `// eslint-disable-next-line rule -- reason`. TypeScript directives are
// checked by `ban-ts-comment`.
export default {
  meta: {
    type: 'problem',
    docs: { description: 'require a reason beside every eslint-disable' },
    schema: [],
    messages: {
      reason: 'Give the reason for disabling the rule: `{{directive}} … -- reason`.',
      rules: 'Name the rules to disable: `{{directive}} rule -- reason`.',
    },
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const match = /^\s*(eslint-disable(?:-next-line|-line)?)\b(.*)$/s.exec(comment.value);
          if (match === null) continue;
          const [, directive, rest] = match;
          const [rules, reason] = rest.split(/\s-{2,}\s/, 2);
          const { loc } = comment;
          if (rules.trim() === '') context.report({ loc, messageId: 'rules', data: { directive } });
          if ((reason ?? '').trim() === '') {
            context.report({ loc, messageId: 'reason', data: { directive } });
          }
        }
      },
    };
  },
};
