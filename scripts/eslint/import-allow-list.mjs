// The package may import its own files (relative) and what is listed; nothing else, in any form:
// import, export … from, import(), import('…') types, require().
import { onEachImport } from './on-each-import.mjs';

export default {
  meta: {
    type: 'problem',
    docs: { description: 'allow only listed modules to be imported' },
    schema: [
      {
        type: 'object',
        properties: {
          modules: { type: 'array', items: { type: 'string' } },
          types: { type: 'array', items: { type: 'string' } },
          open: { type: 'boolean' },
        },
        additionalProperties: false,
      },
    ],
    messages: {
      forbidden: "'{{name}}' may not be imported here. Allowed: {{allowed}}.",
      typesOnly: "'{{name}}' may only be imported with `import type` here.",
      computed: 'The module must be a string literal, so that the rules can see it.',
    },
  },
  create(context) {
    // open: anything may be imported, but the modules under `types` only as types.
    const { modules = [], types = [], open = false } = context.options[0] ?? {};
    const allowed = ['relative files', ...modules, ...types.map((name) => `${name} (types)`)];
    return onEachImport(({ node, name, isType }) => {
      if (name === undefined) {
        context.report({ node, messageId: 'computed' });
        return;
      }
      if (name.startsWith('./') || name.startsWith('../') || modules.includes(name)) return;
      if (types.includes(name)) {
        if (!isType) context.report({ node, messageId: 'typesOnly', data: { name } });
        return;
      }
      if (open) return;
      context.report({ node, messageId: 'forbidden', data: { name, allowed: allowed.join(', ') } });
    });
  },
};
