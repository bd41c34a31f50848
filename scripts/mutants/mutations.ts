import ts from 'typescript';

/** One change of one place in a source. */
export interface Mutation {
  /** The characters of the source that it replaces. */
  start: number;
  end: number;
  /** The code that is there and changed at once. `is` is an expression: whether the mutation is on. */
  switched: (inner: string, is: string) => string;
  line: number;
  /** The function around it. */
  within: string;
  original: string;
  mutated: string;
}

/** A change before it has its name: at a node, or at a range of characters. */
interface Change {
  at: { start: number; end: number };
  /** What stands there instead, for a report. */
  text: string;
  switched: Mutation['switched'];
  /** What a report shows around the change, where the node alone says too little. */
  around?: ts.Node;
}

/** Longer texts around a change are not shown. */
const widest = 120;

/**
 * All mutations of a source.
 *
 * @param code JavaScript: the source with blanks for its types, so that a place in it is the same in the source
 */
export function mutationsOf(code: string, source = code): Mutation[] {
  const file = ts.createSourceFile('source.js', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const mutations: Mutation[] = [];
  const visit = (node: ts.Node, within: string): void => {
    if (isForPeople(node)) return;
    for (const change of changesOf(node)) mutations.push(named(change, within, file, source));
    const inside = nameOf(node) ?? within;
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(file, 'module');
  return mutations;
}

function named({ at, text, switched, around }: Change, within: string, file: ts.SourceFile, source: string) {
  const isWide = around !== undefined && around.end - around.getStart() > widest;
  const shown = around === undefined || isWide ? at : { start: around.getStart(), end: around.end };
  const { start, end } = { start: Math.min(shown.start, at.start), end: Math.max(shown.end, at.end) };
  return {
    ...at,
    switched,
    line: file.getLineAndCharacterOfPosition(at.start).line + 1,
    within,
    original: oneLine(source.slice(start, end)),
    mutated: oneLine(source.slice(start, at.start) + text + source.slice(at.end, end)),
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const isNamed =
    ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isPropertyDeclaration(node);
  if (isNamed) return node.name?.getText();
  const isDeclared = ts.isVariableDeclaration(node) && node.initializer !== undefined;
  const isFunction = isDeclared && node.initializer && ts.isFunctionLike(node.initializer);
  // A constant of the module counts as well: what is in it has no function around.
  const isOfModule = isDeclared && ts.isSourceFile(node.parent.parent.parent);
  return isDeclared && (isFunction || isOfModule) ? node.name.getText() : undefined;
}

function changesOf(node: ts.Node): Change[] {
  if (ts.isBinaryExpression(node)) return ofBinary(node);
  if (ts.isPrefixUnaryExpression(node)) return ofNegation(node);
  if (ts.isIfStatement(node)) return [forced(node.expression, true), forced(node.expression, false)];
  // Forced to be true, a loop would never end.
  if (ts.isWhileStatement(node)) return [forced(node.expression, false)];
  if (ts.isConditionalExpression(node)) {
    return [true, false].map((to) => ({ ...forced(node.condition, to), around: node }));
  }
  if (ts.isCallExpression(node)) return ofCall(node);
  if (ts.isSpreadElement(node) && ts.isArrayLiteralExpression(node.parent)) {
    const switched: Change['switched'] = (inner, is) => `(${is} ? [] : (${inner}))`;
    return [{ at: rangeOf(node.expression), text: '[]', switched, around: node.parent }];
  }
  if (ts.isArrayLiteralExpression(node)) return rowsOf(node);
  if (ts.isStatement(node)) return ofStatement(node);
  return ofLiteral(node);
}

/** One row at a time is taken out of a table, a list of objects. */
function rowsOf(node: ts.ArrayLiteralExpression): Change[] {
  if (node.elements.length < 2 || !node.elements.every(ts.isObjectLiteralExpression)) return [];
  const switched: Change['switched'] = (inner, is) => `...(${is} ? [] : [${inner}])`;
  return node.elements.map((row) => ({ at: rangeOf(row), text: '', switched }));
}

const comparisons = new Map<ts.SyntaxKind, string[]>([
  [ts.SyntaxKind.LessThanToken, ['<=', '>=']],
  [ts.SyntaxKind.LessThanEqualsToken, ['<', '>']],
  [ts.SyntaxKind.GreaterThanToken, ['>=', '<=']],
  [ts.SyntaxKind.GreaterThanEqualsToken, ['>', '<']],
  [ts.SyntaxKind.AmpersandAmpersandToken, ['||']],
  [ts.SyntaxKind.BarBarToken, ['&&']],
]);
const equalities = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
]);

function ofBinary(node: ts.BinaryExpression): Change[] {
  if (isOrder(node)) return [];
  const { left, right, operatorToken } = node;
  const at = { start: left.getStart(), end: node.end };
  const [one, other] = [left.getText(), right.getText()];
  const opposite = equalities.get(operatorToken.kind);
  if (opposite !== undefined) {
    const switched: Change['switched'] = (inner, is) => `(${is} !== (${inner}))`;
    return [{ at, text: `${one} ${opposite} ${other}`, switched }];
  }
  return (comparisons.get(operatorToken.kind) ?? []).map((operator) => ({
    at,
    text: `${operandText(left, operator)} ${operator} ${operandText(right, operator)}`,
    switched: (inner, is) => `(${is} ? ((${one}) ${operator} (${other})) : (${inner}))`,
  }));
}

/** Parentheses, where what was one operator becomes two. */
function operandText(node: ts.Expression, operator: string): string {
  const text = node.getText();
  const own = ts.isBinaryExpression(node) ? node.operatorToken.getText() : operator;
  return ['&&', '||'].includes(operator) && ['&&', '||'].includes(own) && own !== operator
    ? `(${text})`
    : text;
}

function ofNegation(node: ts.PrefixUnaryExpression): Change[] {
  if (node.operator !== ts.SyntaxKind.ExclamationToken) return [];
  return [replaced(node, node.operand.getText())];
}

function forced(condition: ts.Expression, to: boolean): Change {
  const switched: Change['switched'] = (inner, is) =>
    to ? `(${is} || (${inner}))` : `(!${is} && (${inner}))`;
  return { at: rangeOf(condition), text: String(to), switched };
}

const takingPredicates = new Set(['filter', 'find', 'findIndex', 'findLast', 'some', 'every']);
const swapped = new Map([
  ['some', 'every'],
  ['every', 'some'],
]);

function ofCall(node: ts.CallExpression): Change[] {
  const called = node.expression;
  if (!ts.isPropertyAccessExpression(called)) return [];
  const name = called.name.text;
  const changes: Change[] = [];
  const [predicate] = node.arguments;
  if (takingPredicates.has(name) && predicate !== undefined && !isFlippedAlone(predicate)) {
    const text = predicate.getText();
    const negated = `(...all) => !(${text})(...all)`;
    const switched: Change['switched'] = (inner, is) => `(${is} ? (${negated}) : (${inner}))`;
    changes.push({ at: rangeOf(predicate), text: `not(${text})`, switched });
  }
  const other = swapped.get(name);
  if (other !== undefined) {
    const dot = called.questionDotToken === undefined ? '.' : '?.';
    changes.push({
      at: { start: called.expression.end, end: called.name.end },
      text: `${dot}${other}`,
      switched: (_, is) => `${dot === '.' ? '' : dot}[${is} ? '${other}' : '${name}']`,
      around: node,
    });
  }
  return changes;
}

/** A predicate whose whole body another mutation negates already. */
function isFlippedAlone(predicate: ts.Expression): boolean {
  if (!ts.isArrowFunction(predicate)) return false;
  const { body } = predicate;
  if (ts.isBinaryExpression(body)) return equalities.has(body.operatorToken.kind);
  return ts.isPrefixUnaryExpression(body) && body.operator === ts.SyntaxKind.ExclamationToken;
}

function ofStatement(node: ts.Statement): Change[] {
  if (!hasEffect(node) && !endsEarly(node)) return [];
  const switched: Change['switched'] = (inner, is) => `{ if (!${is}) { ${inner} } }`;
  return [{ at: rangeOf(node), text: '', switched }];
}

function hasEffect(node: ts.Statement): boolean {
  if (!ts.isExpressionStatement(node)) return false;
  const { expression } = node;
  const done = ts.isAwaitExpression(expression) ? expression.expression : expression;
  if (ts.isCallExpression(done)) return done.expression.kind !== ts.SyntaxKind.SuperKeyword;
  if (ts.isBinaryExpression(done)) {
    const { kind } = done.operatorToken;
    return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
  }
  return ts.isPostfixUnaryExpression(done) || ts.isPrefixUnaryExpression(done) || ts.isDeleteExpression(done);
}

/** `if (…) return …;` is mutated in its condition, and what a function ends with ends it no earlier. */
function endsEarly(node: ts.Statement): boolean {
  const ends =
    ts.isReturnStatement(node) ||
    ts.isThrowStatement(node) ||
    ts.isContinueStatement(node) ||
    ts.isBreakStatement(node);
  if (!ends || ts.isIfStatement(node.parent)) return false;
  if (!ts.isBlock(node.parent)) return true;
  const isOnly = node.parent.statements.length === 1;
  if (isOnly && (ts.isIfStatement(node.parent.parent) || ts.isCatchClause(node.parent.parent))) return false;
  return !ts.isFunctionLike(node.parent.parent) || node.parent.statements.at(-1) !== node;
}

function ofLiteral(node: ts.Node): Change[] {
  const around = node.parent;
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ ...replaced(node, 'false'), around }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ ...replaced(node, 'true'), around }];
  if (ts.isStringLiteralLike(node) && isLookedAt(node)) {
    return [{ ...replaced(node, node.text === '' ? "'x'" : "''"), around }];
  }
  const isNumber = ts.isNumericLiteral(node) || ts.isBigIntLiteral(node);
  if (!isNumber || isNameOrStandIn(node) || isOrder(around) || isOrder(around.parent)) return [];
  const [big, digits] = ts.isBigIntLiteral(node) ? ['n', node.text.slice(0, -1)] : ['', node.text];
  const values =
    big === 'n' ? [BigInt(digits) + 1n, BigInt(digits) - 1n] : [Number(digits) + 1, Number(digits) - 1];
  return values.map((value) => ({ ...replaced(node, `${value}${big}`), around }));
}

const takingTexts = new Set(['includes', 'startsWith', 'endsWith', 'has', 'hasOwn', 'indexOf', 'push']);

/** Whether a text is one that others are compared with: in a comparison, a `case`, a list, or asked for by its value. */
function isLookedAt(node: ts.StringLiteralLike): boolean {
  const { parent } = node;
  // The type of a value is never another: the comparison itself is mutated.
  if (ts.isBinaryExpression(parent)) {
    return equalities.has(parent.operatorToken.kind) && !ts.isTypeOfExpression(parent.left);
  }
  if (ts.isCaseClause(parent)) return true;
  if (ts.isArrayLiteralExpression(parent)) return !node.text.includes(' ');
  const isArgument = ts.isCallExpression(parent) && ts.isPropertyAccessExpression(parent.expression);
  return isArgument && takingTexts.has(parent.expression.name.text);
}

/** The name of a property; or what `const [first = 0] = …` has for the types alone. */
function isNameOrStandIn(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent)) return parent.name === node;
  return ts.isBindingElement(parent) && ts.isArrayBindingPattern(parent.parent);
}

/** Whether a node is `one < other ? -1 : 1`, or its condition: of what is never the same, only the direction counts. */
function isOrder(node: ts.Node): boolean {
  const around = ts.isBinaryExpression(node) ? node.parent : node;
  if (!ts.isConditionalExpression(around)) return false;
  return /^(-1 1|1 -1)$/.test(`${around.whenTrue.getText()} ${around.whenFalse.getText()}`);
}

function replaced(node: ts.Node, text: string): Change {
  return {
    at: rangeOf(node),
    text,
    switched: (inner, is) => `(${is} ? (${text}) : (${inner}))`,
  };
}

function rangeOf(node: ts.Node) {
  return { start: node.getStart(), end: node.end };
}

/** Properties and constants that hold a text for people. */
const names = /^(words|message|why|fix|what|hint|title|description|documentation)$/;
/** Functions that make one. */
const makers = /^(shown|words|said)|Words$/;
const refusals = /(Error|Refused|Undecided|MalformedToken)$/;

/** Whether code makes nothing but a text for people: what a change of it changes is for a reader to judge. */
function isForPeople(node: ts.Node): boolean {
  if (ts.isPropertyAssignment(node)) return names.test(node.name.getText());
  if (ts.isFunctionDeclaration(node)) return makers.test(node.name?.text ?? '');
  if (ts.isVariableDeclaration(node)) {
    const name = node.name.getText();
    const isFunction = node.initializer !== undefined && ts.isFunctionLike(node.initializer);
    return names.test(name) || (isFunction && makers.test(name));
  }
  const { parent } = node;
  if (parent !== undefined && ts.isNewExpression(parent) && parent.expression !== node) {
    return ts.isThrowStatement(parent.parent) || refusals.test(parent.expression.getText());
  }
  return ts.isConditionalExpression(node) && ts.isTemplateSpan(parent) && hasTextsOnly(node);
}

/** `one ? 'group' : 'role'` inside of a longer text. */
function hasTextsOnly({ whenTrue, whenFalse }: ts.ConditionalExpression): boolean {
  return [whenTrue, whenFalse].every((one) => ts.isStringLiteralLike(one) || ts.isTemplateExpression(one));
}
