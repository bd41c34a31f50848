// Spreads that sources do not have. Of a list of any length into arguments: the stack holds only so many, and the call
// crashes. Of a literal into a literal: the compiler does not check it for properties too many, and it says nothing.
import ts from 'typescript';

/** The text of the file that an import means, where it is one of the clone. */
type TextOfImport = (specifier: string) => string | undefined;

/** The spreads of a source into arguments, by line: all but of lists that are written out, rest parameters and tuples. */
export function spreadsOfData(text: string, textOfImport: TextOfImport = () => undefined): string[] {
  if (!/[(,]\s*\.\.\./.test(text)) return [];
  return spreadsIn(text, (node) =>
    spreadArguments(node).filter(({ expression }) => !isShort(expression, textOfImport)),
  );
}

/** The spreads of an object or a list that is written out, `...{ a, b }`, by line. */
export function spreadsOfLiterals(text: string): string[] {
  if (!/\.\.\.\s*[{[]/.test(text)) return [];
  return spreadsIn(text, (node) => {
    if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression)) return [node];
    return ts.isSpreadElement(node) && ts.isArrayLiteralExpression(node.expression) ? [node] : [];
  });
}

function spreadsIn(text: string, spreadsOf: (node: ts.Node) => ts.Node[]): string[] {
  const source = parsed(text);
  const offending: string[] = [];
  const visit = (node: ts.Node) => {
    for (const spread of spreadsOf(node)) {
      const { line } = source.getLineAndCharacterOfPosition(spread.getStart(source));
      offending.push(`${line + 1}: ${spread.getText(source)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return offending;
}

const parsed = (text: string) => ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);

function spreadArguments(node: ts.Node): ts.SpreadElement[] {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return [];
  return [...(node.arguments ?? [])].filter(ts.isSpreadElement);
}

function isShort(value: ts.Expression, textOfImport: TextOfImport): boolean {
  if (isWrittenOut(value)) return true;
  if (!ts.isIdentifier(value)) return false;
  const declaration = declarationOf(value.text, value);
  if (declaration !== undefined) return isShortDeclaration(declaration);
  const specifier = importOf(value.text, value.getSourceFile());
  const imported = specifier === undefined ? undefined : textOfImport(specifier);
  const constant = imported === undefined ? undefined : declaredIn(parsed(imported), value.text);
  return constant !== undefined && isShortDeclaration(constant);
}

/** `[a, b]`, without a spread in it. */
function isWrittenOut(value: ts.Expression): boolean {
  return ts.isArrayLiteralExpression(value) && !value.elements.some(ts.isSpreadElement);
}

/** Other lists can grow after their declaration. */
function isConstantList(value: ts.Expression): boolean {
  return ts.isAsExpression(value) && ts.isConstTypeReference(value.type) && isWrittenOut(value.expression);
}

type SpreadTarget = ts.ParameterDeclaration | ts.VariableDeclaration | ts.BindingElement;

/** A rest parameter has what calls write out; a tuple has as much as its type says. */
function isShortDeclaration(declaration: SpreadTarget): boolean {
  if (ts.isBindingElement(declaration)) return false;
  if (ts.isParameter(declaration) && declaration.dotDotDotToken !== undefined) return true;
  const { type, initializer } = declaration;
  return type === undefined ? initializer !== undefined && isConstantList(initializer) : isTuple(type);
}

function isTuple(type: ts.TypeNode): boolean {
  if (ts.isUnionTypeNode(type)) return type.types.every((member) => isTuple(member) || isUndefined(member));
  if (ts.isTypeOperatorNode(type)) return isTuple(type.type);
  if (ts.isTypeReferenceNode(type)) return type.typeName.getText() === 'Parameters';
  return ts.isTupleTypeNode(type) && !type.elements.some(ts.isRestTypeNode);
}

const isUndefined = ({ kind }: ts.TypeNode) => kind === ts.SyntaxKind.UndefinedKeyword;

/** The innermost declaration of a name around a node; undefined for an import. */
function declarationOf(name: string, node: ts.Node): SpreadTarget | undefined {
  for (let scope = node.parent; scope !== undefined; scope = scope.parent) {
    const declaration = declaredIn(scope, name);
    if (declaration !== undefined) return declaration;
  }
  return undefined;
}

/** The declaration of a name that a function, a loop, a block or a file makes itself. */
function declaredIn(scope: ts.Node, name: string): SpreadTarget | undefined {
  if (ts.isFunctionLike(scope)) return named(scope.parameters, name);
  if (ts.isForStatement(scope) || ts.isForOfStatement(scope) || ts.isForInStatement(scope)) {
    const { initializer } = scope;
    const isList = initializer !== undefined && ts.isVariableDeclarationList(initializer);
    return isList ? named(initializer.declarations, name) : undefined;
  }
  if (!ts.isBlock(scope) && !ts.isSourceFile(scope) && !ts.isCaseOrDefaultClause(scope)) return undefined;
  const statements = [...scope.statements].filter(ts.isVariableStatement);
  const variables = statements.flatMap(({ declarationList }) => [...declarationList.declarations]);
  return named(variables, name);
}

function named(declarations: readonly SpreadTarget[], name: string): SpreadTarget | undefined {
  for (const declaration of declarations) {
    if (ts.isIdentifier(declaration.name)) {
      if (declaration.name.text === name) return declaration;
      continue;
    }
    const inner = named([...declaration.name.elements].filter(ts.isBindingElement), name);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function importOf(name: string, source: ts.SourceFile): string | undefined {
  const imports = [...source.statements].filter(ts.isImportDeclaration);
  const specifier = imports.find(({ importClause }) => {
    const bindings = importClause?.namedBindings;
    return (
      bindings &&
      ts.isNamedImports(bindings) &&
      bindings.elements.some((element) => element.name.text === name)
    );
  })?.moduleSpecifier;
  return specifier && ts.isStringLiteral(specifier) ? specifier.text : undefined;
}
