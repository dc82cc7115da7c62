// Two rules about imports in any form: import, export … from, import(), import('…') types, require().
// `importAllowList`: a package may import its own files (relative) and the modules that are listed.
// `packageBoundary`: other packages are imported by a name that their package.json exports, never by a deeper path or a
// relative path that leaves the importing package.
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../run.mjs';

const strings = { type: 'array', items: { type: 'string' } };

export const importAllowList = {
  meta: {
    type: 'problem',
    docs: { description: 'allow only listed modules to be imported' },
    schema: [
      {
        type: 'object',
        properties: { modules: strings, types: strings, open: { type: 'boolean' } },
        additionalProperties: false,
      },
    ],
    messages: {
      forbidden: "'{{name}}' may not be imported here. Allowed: {{allowed}}.",
      typesOnly: "'{{name}}' may only be imported with `import type` here.",
      computed: 'The module must be a string literal, so that the rules can read it.',
    },
  },
  create(context) {
    // open: anything may be imported, but the modules under `types` only as types.
    const { modules = [], types = [], open = false } = context.options[0] ?? {};
    const allowed = ['relative files', ...modules, ...types.map((name) => `${name} (types)`)];
    return onEachImport(({ node, name, isType }) => {
      if (name === undefined) context.report({ node, messageId: 'computed' });
      else if (/^\.{1,2}\//.test(name) || modules.includes(name)) return;
      else if (types.includes(name)) {
        if (!isType) context.report({ node, messageId: 'typesOnly', data: { name } });
      } else if (!open) {
        const data = { name, allowed: allowed.join(', ') };
        context.report({ node, messageId: 'forbidden', data });
      }
    });
  },
};

export const packageBoundary = {
  meta: {
    type: 'problem',
    docs: { description: 'import other packages only by the names that they export' },
    schema: [],
    messages: {
      deep: "'{{name}}' is not exported by its package. It exports: {{exported}}.",
      escape: "'{{name}}' leaves this package; import the other one by its name.",
    },
  },
  create(context) {
    const own = packageOf(context.filename);
    return onEachImport(({ node, name }) => {
      if (name === undefined) return;
      const [, directory] = /^@stoa\/([^/]+)\/./.exec(name) ?? [];
      if (directory !== undefined) {
        const exported = exportsOf(directory);
        if (exported.includes(name)) return;
        context.report({ node, messageId: 'deep', data: { name, exported: exported.join(', ') } });
      } else if (name.startsWith('.')) {
        const target = packageOf(path.resolve(path.dirname(context.filename), name));
        if (target === own || !target.startsWith('packages/')) return;
        context.report({ node, messageId: 'escape', data: { name } });
      }
    });
  },
};

/** `packages/core`, `tests`, `bench`, … */
function packageOf(file) {
  const [first, second] = path.relative(root, file).split(path.sep);
  return first === 'packages' ? `packages/${second}` : first;
}

function exportsOf(directory) {
  const file = path.join(root, 'packages', directory, 'package.json');
  if (!fs.existsSync(file)) return [];
  const { name, exports = {} } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return Object.keys(exports).map((subpath) => path.posix.join(name, subpath));
}

/**
 * Visitors that call `visit` for each import. `name` is undefined if it is computed; `isType` means that nothing of the import
 * exists at run time.
 */
function onEachImport(visit) {
  const visitor = (source, kind) => (node) => {
    const module = source(node);
    if (module) visit({ node, name: literal(module), isType: kind(node) === 'type' });
  };
  const declaration = visitor(
    ({ source }) => source,
    ({ importKind, exportKind }) => importKind ?? exportKind,
  );
  const value = () => 'value';
  return {
    ImportDeclaration: declaration,
    ExportNamedDeclaration: declaration,
    ExportAllDeclaration: declaration,
    ImportExpression: visitor(({ source }) => source, value),
    TSImportType: visitor(
      ({ source }) => source,
      () => 'type',
    ),
    TSExternalModuleReference: visitor(({ expression }) => expression, value),
    'CallExpression[callee.name="require"]': visitor((node) => node.arguments[0] ?? node, value),
  };
}

function literal(node) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) {
    return node.quasis[0].value.cooked;
  }
  return undefined;
}
