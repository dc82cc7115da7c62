/**
 * Visitors that call `visit` for every way a module names another. `name` is undefined when it is
 * computed; `isType` means that nothing of it is left at run time.
 */
export function onEachImport(visit) {
  const declaration = (node) => {
    if (!node.source) return;
    const isType = node.importKind === 'type' || node.exportKind === 'type';
    visit({ node, name: literal(node.source), isType });
  };
  return {
    ImportDeclaration: declaration,
    ExportNamedDeclaration: declaration,
    ExportAllDeclaration: declaration,
    ImportExpression: (node) => visit({ node, name: literal(node.source), isType: false }),
    TSImportType: (node) => visit({ node, name: literal(node.source), isType: true }),
    TSExternalModuleReference: (node) =>
      visit({ node, name: literal(node.expression), isType: false }),
    'CallExpression[callee.name="require"]': (node) =>
      visit({ node, name: literal(node.arguments[0]), isType: false }),
  };
}

function literal(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) {
    return node.quasis[0].value.cooked;
  }
  return undefined;
}
