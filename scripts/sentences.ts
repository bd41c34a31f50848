import ts from 'typescript';

/** Words in a row: `what the plan does`, and no `auth/token/create`. */
const sentence = /\p{L}+[’,:]? \p{L}+[’,:]? \p{L}+/u;

/** `new GatehouseError(…)` */
const isError = (node: ts.Node) => ts.isNewExpression(node) && /Error$/.test(node.expression.getText());

/**
 * Texts of a source that are sentences, or parts of one, with their lines: literals and pieces of templates with three words in
 * a row. Not those of an error, of imports and of types.
 */
export function sentencesIn(source: string): string[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isThrowStatement(node) || isError(node)) return;
    const isPiece =
      ts.isStringLiteralLike(node) ||
      node.kind === ts.SyntaxKind.TemplateHead ||
      node.kind === ts.SyntaxKind.TemplateMiddle ||
      node.kind === ts.SyntaxKind.TemplateTail;
    if (isPiece && sentence.test((node as ts.LiteralLikeNode).text)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${line + 1}: ${(node as ts.LiteralLikeNode).text.trim()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
