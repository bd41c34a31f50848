import ts from 'typescript';

/** Properties and constants that hold a text for people. */
const names = /^(words|message|why|fix|what|hint|title|description|documentation)$/;
/** Functions that make one. */
const makers = /^(shown|words|said)|Words$/;
const refusals = /(Error|Refused|Undecided|MalformedToken)$/;

/** Whether code makes nothing but a text for people: what a change of it changes is for a reader to judge. */
export function isForPeople(node: ts.Node, file: ts.SourceFile): boolean {
  if (ts.isPropertyAssignment(node)) return names.test(node.name.getText(file));
  if (ts.isFunctionDeclaration(node)) return makers.test(node.name?.text ?? '');
  if (ts.isVariableDeclaration(node)) {
    const name = node.name.getText(file);
    const isFunction = node.initializer !== undefined && ts.isFunctionLike(node.initializer);
    return names.test(name) || (isFunction && makers.test(name));
  }
  const { parent } = node;
  if (parent !== undefined && ts.isNewExpression(parent) && parent.expression !== node) {
    return ts.isThrowStatement(parent.parent) || refusals.test(parent.expression.getText(file));
  }
  return ts.isConditionalExpression(node) && ts.isTemplateSpan(parent) && hasTextsOnly(node);
}

/** `one ? 'group' : 'role'` inside of a longer text. */
function hasTextsOnly({ whenTrue, whenFalse }: ts.ConditionalExpression): boolean {
  return [whenTrue, whenFalse].every((one) => ts.isStringLiteralLike(one) || ts.isTemplateExpression(one));
}
