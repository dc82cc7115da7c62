// A switched-off rule says why, in the same comment: `// eslint-disable-next-line rule -- reason`.
// The same holds for the TypeScript directives that silence the compiler.
export default {
  meta: {
    type: 'problem',
    docs: { description: 'require a reason beside every eslint-disable' },
    schema: [],
    messages: {
      reason: 'Say why the rule is switched off: `{{directive}} … -- reason`.',
      rules: 'Name the rules to switch off: `{{directive}} rule -- reason`.',
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
