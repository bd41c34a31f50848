// `npm run lint:language`: lists texts users see that break the rules a program can check: words that read as translated,
// British spelling, sentences that do not begin with their subject, and those of more than 25 words. It looks at literals of
// the sources and at the docs; at the spelling and the shape of comments. The same words, and a few that say nothing of what is held, name nothing that sources and tests declare.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

interface Text {
  line: number;
  text: string;
}

/** A sentence, and the rule it breaks. */
export interface Offense extends Text {
  rule: string;
}

const longest = 25;
const spellings = [
  /\b(?:(?:behavi|col|fav|hon|neighb)our\w*|(?:author|initial|normal|organ|recogn|sanit|serial|summar)is(?:e[ds]?|ing|ation))\b/i,
  /\b(?:cancelled|cancelling|labelled|modelled|analyse[ds]?|artefacts?|catalogues?|centres?|defence|grey|judgement|licence|whilst)\b/i,
];
const rules = [
  ...spellings,
  /\b(?:whoever|somebody|nobody who|those who|the one that|is not told|(?:by|of) which|so it is|mend(?:s|ed|ing)?)\b/i,
];
const verb =
  '(?:is|are|was|were|has|have|may|must|can|cannot|will|does|stays?|stands?|counts?|becomes|needs|goes|comes|says|gives)';
/** What joins another clause, whose verb is not that of the sentence. */
const connective =
  /\b(?:that|which|where|who|whom|when|if|and|or|as|but|whose|whether|than|unless|how|what|before|after|though|until|to|so|by|than|while)\b|[,;:(—]/;
/** Shapes of a sentence that put something before its subject, or a clause in its place. */
const shapes: ((sentence: string) => string | undefined)[] = [
  (sentence) => /^Of (?!course\b)[^.?:;]*?,/.exec(sentence)?.[0],
  (sentence) =>
    /(?:^|[,;] (?:and )?)(?:nor|so) (?:is|are|was|were|does|do|did|has|have|can)\b(?! (?:not|far|long))/i.exec(
      sentence,
    )?.[0],
  (sentence) =>
    /^What [^?]*$/.test(sentence) && !connective.test(sentence.slice('What '.length))
      ? new RegExp(`^What (?:\\S+ )*?${verb}(?: \\S+)+? ${verb} (?=\\S)`).exec(sentence)?.[0]
      : undefined,
];
/** Names that leave open what they hold. */
const emptyNames = new Set(['told', 'made', 'open', 'on', 'more', 'others', 'redrawn', 'Piece']);
/** No part of a name: `waysIn`, `isSettled`. */
const ruledOut =
  /^(?:ways?|crowds?|holders?|holdings?|bearers?|sayings?|said|alike|besides?|begun|moved|joint|settled|doors?|whoever|somebody|mend(?:s|ed)?)$/;
/** Stands for a value, or for code. */
const word = 'X';
/** Files whose texts users see, and developers. The specification is another's text. */
const hasTexts =
  /^(?!(?:packages\/[\w-]+\/)?test\/|CHANGELOG|docs\/adr\/|docs\/inside\/specification|packages\/core\/src\/access\/README|packages\/bench\/README)/;
/** Statements of SQL, style sheets, scripts and policies, and tables of names. */
const isCode =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WITH|PRAGMA) [^.]*$|[{};]\s*\n|=>|^\n[\w#\s]+$/;

/** The sentences of a text that break a rule. A list of code counts as one word. */
function offensesOf({ line, text }: Text, isComment = false): Offense[] {
  const joined = text.replace(/`[^`]*`/g, (code) => code.replace(/\s/g, '·'));
  return joined.split(/(?<=[.!?][)"'*_]*)(?<!\b(?:e\.g|i\.e|etc)\.)\s+/).flatMap((sentence) => {
    const plain = sentence.replace(/`[^`]*`(?:,\s+`[^`]*`)*/g, word);
    const inOneLine = plain.replace(/\s+/g, ' ').trim();
    const broken: string[] = (isComment ? spellings : rules).flatMap((rule) => rule.exec(plain)?.[0] ?? []);
    broken.push(...shapes.flatMap((shape) => shape(inOneLine) ?? []));
    const count = plain.split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
    if (!isComment && count > longest) broken.push(`${count} words`);
    return broken.map((rule) => ({ line, text: sentence.replace(/\s+/g, ' ').trim(), rule }));
  });
}

/** The comments of a source, each with all its lines up to an empty one or a tag. */
function commentsOf(source: string): Text[] {
  const comments: Text[] = [];
  let isOpen = false;
  for (const [index, raw] of source.split('\n').entries()) {
    const whole = /^\s*(?:\/\/|\/\*\*?|\*(?!\/))(?: (.*?))?(?:\s*\*\/)?$/.exec(raw);
    const text =
      (whole ?? /\s\/\/ (.*)$/.exec(raw))?.[1]?.replace(/^@(?:param|returns|throws)\s*\S*\s*/, '') ?? '';
    const last = comments.at(-1);
    const starts = /^[\s/*]*@/.test(raw) || /^\s*\/\*/.test(raw);
    if (text === '') isOpen = false;
    else if (isOpen && !starts && whole !== null && last !== undefined) last.text += `\n${text}`;
    else comments.push({ line: index + 1, text });
    if (text !== '') isOpen = whole !== null && !raw.endsWith('*/');
  }
  return comments;
}

/** What a literal, or several in a sum, read as; undefined for other expressions. */
function literalText(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isParenthesizedExpression(node)) return literalText(node.expression);
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map((span) => word + span.literal.text).join('');
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [literalText(node.left), literalText(node.right)];
  return left === undefined && right === undefined ? undefined : (left ?? word) + (right ?? word);
}

/** The offenses in literals of TypeScript or JavaScript that are texts: three words or more. */
export function offensesOfSource(source: string, name = 'source.ts'): Offense[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest);
  const found: Offense[] = [];
  const visit = (node: ts.Node, isPart: boolean) => {
    const text = isPart ? undefined : literalText(node);
    if (text !== undefined && !isCode.test(text)) {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      const lines = text.replace(/<\/?(?:a|b|code|em|strong|span)\b[^>]*>/g, '').split(/<[a-z/][^>]*>|\n/);
      for (const part of lines) {
        if (/\S+\s+\S+\s+\S+/.test(part)) found.push(...offensesOf({ line, text: part }));
      }
    }
    const isSum = ts.isBinaryExpression(node) || ts.isParenthesizedExpression(node);
    ts.forEachChild(node, (child) => visit(child, (text !== undefined || isPart) && isSum));
  };
  visit(file, false);
  found.push(...commentsOf(source).flatMap((comment) => offensesOf(comment, true)));
  return found;
}

/**
 * The names that TypeScript or JavaScript declares and that say nothing, or have a word that is ruled out. Keys of literals
 * are not looked at: those of other systems stand among them.
 */
export function offensesOfNames(source: string, name = 'source.ts'): Offense[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const found: Offense[] = [];
  const visit = (node: ts.Node) => {
    if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && isDeclared(node)) {
      const text = node.text.replace(/^#/, '');
      const words = text.split(/(?=[A-Z])|_/).map((part) => part.toLowerCase());
      const rule = emptyNames.has(text) ? text : words.find((part) => ruledOut.test(part));
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      if (rule !== undefined) found.push({ line, text: node.text, rule });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Whether a name is one of ours: not a key of a literal, nor what a module calls what is imported from it. */
function isDeclared(name: ts.Identifier | ts.PrivateIdentifier): boolean {
  const { parent } = name;
  if (ts.isImportSpecifier(parent)) return parent.name === name && parent.propertyName !== undefined;
  const isDeclaration =
    ts.isVariableDeclaration(parent) ||
    ts.isBindingElement(parent) ||
    ts.isFunctionLike(parent) ||
    ts.isClassLike(parent) ||
    ts.isInterfaceDeclaration(parent) ||
    ts.isTypeAliasDeclaration(parent) ||
    ts.isParameter(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isNamedTupleMember(parent);
  return isDeclaration && parent.name === name;
}

/** The offenses in paragraphs, items, headings and table cells of Markdown, outside blocks of code. */
export function offensesOfMarkdown(source: string): Offense[] {
  const texts: Text[] = [];
  let isOpen = false;
  let fence = false;
  for (const [index, raw] of source.split('\n').entries()) {
    const line = index + 1;
    if (/^\s*(?:>\s*)?```/.test(raw)) fence = !fence;
    const text = raw
      .replace(/^\s*(?:>|[-*]\s|\d+\.\s)?\s*/, '')
      .replace(/`[^`]*`|<[^>]*>|!?\[([^\]]*)\](?:\([^)]*\))?/g, (all, label = '') =>
        all[0] === '`' ? all : label,
      );
    const starts = /^\s*(?:[-*]\s|\d+\.\s|#)/.test(raw);
    const last = texts.at(-1);
    if (fence || text === '' || /^\s*```/.test(raw)) isOpen = false;
    else if (raw.startsWith('|')) {
      texts.push(...text.split(/(?<!\\)\|/).map((cell) => ({ line, text: cell })));
      isOpen = false;
    } else if (isOpen && !starts && last !== undefined) last.text += `\n${text}`;
    else {
      texts.push({ line, text });
      isOpen = !raw.startsWith('#');
    }
  }
  return texts.flatMap((text) => offensesOf(text));
}

/** The offenses of all files that git keeps or would keep, as `file:line: text: rule`. */
export function offensesOfProject(): string[] {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const asked = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', [...asked, '*.ts', '*.mjs', '*.md'], { cwd: root, encoding: 'utf8' });
  return files.split('\n').flatMap((file) => {
    if (file === '' || !existsSync(root + file)) return [];
    const source = readFileSync(root + file, 'utf8');
    const isPage = file.endsWith('.md');
    const offensesOfTexts = isPage ? offensesOfMarkdown : offensesOfSource;
    const offenses = [
      ...(hasTexts.test(file) ? offensesOfTexts(source, file) : []),
      ...(isPage ? [] : offensesOfNames(source, file)),
    ];
    return offenses.map(({ line, text, rule }) => `${file}:${line}: ${text}: ${rule}`);
  });
}

if (import.meta.main) {
  const offenses = offensesOfProject();
  for (const offense of offenses) console.error(offense);
  process.exitCode = offenses.length === 0 ? 0 : 1;
}
