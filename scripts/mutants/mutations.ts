import ts from 'typescript';
import { isForPeople } from './texts-for-people.ts';

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
    if (isForPeople(node, file)) return;
    for (const change of changesOf(node, file)) mutations.push(named(change, within, file, source));
    const inside = nameOf(node, file) ?? within;
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(file, 'module');
  return mutations;
}

function named({ at, text, switched, around }: Change, within: string, file: ts.SourceFile, source: string) {
  const isWide = around !== undefined && around.end - around.getStart(file) > widest;
  const shown = around === undefined || isWide ? at : { start: around.getStart(file), end: around.end };
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

function nameOf(node: ts.Node, file: ts.SourceFile): string | undefined {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const isNamed =
    ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isPropertyDeclaration(node);
  if (isNamed) return node.name?.getText(file);
  const isDeclared = ts.isVariableDeclaration(node) && node.initializer !== undefined;
  const isFunction = isDeclared && node.initializer && ts.isFunctionLike(node.initializer);
  // A constant of the module counts as well: what is in it has no function around.
  const isOfModule = isDeclared && ts.isSourceFile(node.parent.parent.parent);
  return isDeclared && (isFunction || isOfModule) ? node.name.getText(file) : undefined;
}

function changesOf(node: ts.Node, file: ts.SourceFile): Change[] {
  if (ts.isBinaryExpression(node)) return ofBinary(node, file);
  if (ts.isPrefixUnaryExpression(node)) return ofNegation(node, file);
  if (ts.isIfStatement(node))
    return [forced(node.expression, true, file), forced(node.expression, false, file)];
  // Forced to be true, a loop would never end.
  if (ts.isWhileStatement(node)) return [forced(node.expression, false, file)];
  if (ts.isConditionalExpression(node)) {
    return [true, false].map((to) => ({ ...forced(node.condition, to, file), around: node }));
  }
  if (ts.isCallExpression(node)) return ofCall(node, file);
  if (ts.isSpreadElement(node) && ts.isArrayLiteralExpression(node.parent)) {
    const switched: Change['switched'] = (inner, is) => `(${is} ? [] : (${inner}))`;
    return [{ at: rangeOf(node.expression, file), text: '[]', switched, around: node.parent }];
  }
  if (ts.isStatement(node)) return ofStatement(node, file);
  return ofLiteral(node, file);
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

function ofBinary(node: ts.BinaryExpression, file: ts.SourceFile): Change[] {
  if (isOrder(node)) return [];
  const { left, right, operatorToken } = node;
  const at = { start: left.getStart(file), end: node.end };
  const [one, other] = [left.getText(file), right.getText(file)];
  const opposite = equalities.get(operatorToken.kind);
  if (opposite !== undefined) {
    const switched: Change['switched'] = (inner, is) => `(${is} !== (${inner}))`;
    return [{ at, text: `${one} ${opposite} ${other}`, switched }];
  }
  return (comparisons.get(operatorToken.kind) ?? []).map((operator) => ({
    at,
    text: `${operandText(left, operator, file)} ${operator} ${operandText(right, operator, file)}`,
    switched: (inner, is) => `(${is} ? ((${one}) ${operator} (${other})) : (${inner}))`,
  }));
}

/** Parentheses, where what was one operator becomes two. */
function operandText(node: ts.Expression, operator: string, file: ts.SourceFile): string {
  const text = node.getText(file);
  const own = ts.isBinaryExpression(node) ? node.operatorToken.getText(file) : operator;
  return ['&&', '||'].includes(operator) && ['&&', '||'].includes(own) && own !== operator
    ? `(${text})`
    : text;
}

function ofNegation(node: ts.PrefixUnaryExpression, file: ts.SourceFile): Change[] {
  if (node.operator !== ts.SyntaxKind.ExclamationToken) return [];
  return [replaced(node, node.operand.getText(file), file)];
}

function forced(condition: ts.Expression, to: boolean, file: ts.SourceFile): Change {
  const switched: Change['switched'] = (inner, is) =>
    to ? `(${is} || (${inner}))` : `(!${is} && (${inner}))`;
  return { at: rangeOf(condition, file), text: String(to), switched };
}

const takingPredicates = new Set(['filter', 'find', 'findIndex', 'findLast', 'some', 'every']);
const swapped = new Map([
  ['some', 'every'],
  ['every', 'some'],
]);

function ofCall(node: ts.CallExpression, file: ts.SourceFile): Change[] {
  const called = node.expression;
  if (!ts.isPropertyAccessExpression(called)) return [];
  const name = called.name.text;
  const changes: Change[] = [];
  const [predicate] = node.arguments;
  if (takingPredicates.has(name) && predicate !== undefined && !isFlippedAlone(predicate)) {
    const text = predicate.getText(file);
    const negated = `(...all) => !(${text})(...all)`;
    const switched: Change['switched'] = (inner, is) => `(${is} ? (${negated}) : (${inner}))`;
    changes.push({ at: rangeOf(predicate, file), text: `not(${text})`, switched });
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

function ofStatement(node: ts.Statement, file: ts.SourceFile): Change[] {
  if (!hasEffect(node) && !endsEarly(node)) return [];
  const switched: Change['switched'] = (inner, is) => `{ if (!${is}) { ${inner} } }`;
  return [{ at: rangeOf(node, file), text: '', switched }];
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

function ofLiteral(node: ts.Node, file: ts.SourceFile): Change[] {
  const around = node.parent;
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ ...replaced(node, 'false', file), around }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ ...replaced(node, 'true', file), around }];
  if (ts.isStringLiteralLike(node) && isLookedAt(node)) {
    return [{ ...replaced(node, node.text === '' ? "'x'" : "''", file), around }];
  }
  const isNumber = ts.isNumericLiteral(node) || ts.isBigIntLiteral(node);
  if (!isNumber || isNameOrStandIn(node) || isOrder(around) || isOrder(around.parent)) return [];
  const [big, digits] = ts.isBigIntLiteral(node) ? ['n', node.text.slice(0, -1)] : ['', node.text];
  const values =
    big === 'n' ? [BigInt(digits) + 1n, BigInt(digits) - 1n] : [Number(digits) + 1, Number(digits) - 1];
  return values.map((value) => ({ ...replaced(node, `${value}${big}`, file), around }));
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

function replaced(node: ts.Node, text: string, file: ts.SourceFile): Change {
  return {
    at: rangeOf(node, file),
    text,
    switched: (inner, is) => `(${is} ? (${text}) : (${inner}))`,
  };
}

function rangeOf(node: ts.Node, file: ts.SourceFile) {
  return { start: node.getStart(file), end: node.end };
}
