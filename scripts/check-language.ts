// Part of `npm run lint`: lists texts for people that break rules of plain English which a program can see. It reads literals of
// the product that are sentences, and docs outside code.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
/** A sentence that is longer is two. */
const mostWords = 25;

/** What no text says, with what it says instead. */
const words: [pattern: RegExp, instead: string][] = [
  [/\bwho(so)?ever\b/i, 'everyone who, people in, the principal'],
  [/\bsomebod(y|ies)\b/i, 'someone, a person'],
  [/\banybody\b/i, 'anyone'],
  [/\bnobody\b/i, 'no one'],
  [/\beverybody\b/i, 'everyone'],
  [/\bthose who\b/i, 'people who'],
  [/\bthe one that\b/i, 'its name'],
  [/\b(is|are) not told\b/i, 'is unknown'],
  [/\b(by|of) which\b/i, 'two sentences'],
  [/\bso it is\b/i, 'two sentences'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [
    /\b(colour|behaviour|favour|honour|neighbour|centre|cancelled|cancelling|recognise|organisation|authoris|initialis|sanitis|normalis|minimis|serialis|summaris|licence)\w*\b/i,
    'American spelling',
  ],
];

/** A text, and where it begins. */
export interface Text {
  text: string;
  line: number;
}

export interface Breach extends Text {
  why: string;
}

/** What of some texts breaks a rule. */
export function breaches(texts: readonly Text[]): Breach[] {
  return texts.flatMap(({ text, line }) => [
    ...words.flatMap(([pattern, instead]) => {
      const found = pattern.exec(text)?.[0];
      return found === undefined ? [] : [{ text, line, why: `“${found}”: ${instead}` }];
    }),
    // Markup, queries and policies have lines of their own.
    ...(text.includes('\n') ? [] : sentences(text)).flatMap((sentence) => {
      const count = sentence.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
      return count > mostWords ? [{ text: sentence, line, why: `${count} words in a sentence` }] : [];
    }),
  ]);
}

/** Sentences end at a full stop, a question mark, or a colon or semicolon: what follows can be read alone. */
function sentences(text: string): string[] {
  return text.split(/(?<=[.?!:;])\s+/);
}

/** The literals of a source that people may read: of some words, the first in letters. */
export function literalsOf(source: string): Text[] {
  const file = ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest, true);
  const found: Text[] = [];
  const add = (node: ts.Node, text: string) => {
    if (!/\p{L}+ .*\p{L}+ .*\p{L}/u.test(text)) return;
    found.push({ text, line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) add(node, node.text);
    if (ts.isTemplateExpression(node)) {
      add(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('X'));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The paragraphs, list items and cells of a page, without code. */
export function proseOf(markdown: string): Text[] {
  const lines = markdown.replace(/^(```|~~~)[^]*?^\1/gm, (code) => code.replace(/[^\n]/g, '')).split('\n');
  const found: Text[] = [];
  for (const [at, line] of lines.entries()) {
    const plain = line.replace(/`[^`]*`/g, 'X').replace(/\]\([^)]*\)/g, ']');
    const begins = /^\s*([-*#>|]|\d+\.)\s|^\s*$|^\|/.test(line) || at === 0 || lines[at - 1]?.trim() === '';
    const last = found.at(-1);
    if (line.trim() === '') continue;
    if (begins || last === undefined) {
      for (const text of line.startsWith('|') ? plain.split('|') : [plain])
        found.push({ text, line: at + 1 });
    } else last.text += ` ${plain.trim()}`;
  }
  return found;
}

function main(): void {
  const files = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const all = files.stdout.split('\n').flatMap((path) => {
    const isCode = /^(?!test\/|scripts\/|packages\/bench\/).*\.(ts|mjs)$/.test(path);
    const isProse = /^(?!docs\/adr\/|CHANGELOG|test\/|packages\/bench\/).*\.md$/.test(path);
    if (!isCode && !isProse) return [];
    const source = readFileSync(`${root}${path}`, 'utf8');
    return breaches(isCode ? literalsOf(source) : proseOf(source)).map((one) => ({ ...one, path }));
  });
  for (const { path, line, why, text } of all)
    console.log(`${path}:${line}: ${why}: ${text.trim().slice(0, 160)}`);
  if (all.length > 0) console.log(`${all.length} texts break the rules of CONTRIBUTING.md.`);
  process.exitCode = all.length > 0 ? 1 : 0;
}

if (import.meta.main) main();
