// The names that packages offer each other: those of an entry of `exports`, types included. scripts/write-reference.ts
// writes them into the README of each package.
import { readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import ts from 'typescript';
import { entries } from './entries.ts';
import { root, targetOf } from './import-graph.ts';

const { name: published } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What can be imported from a package by one specifier. */
interface OfferedEntry {
  /** As it is imported. */
  specifier: string;
  names: PublicName[];
}

interface PublicName {
  name: string;
  /** The first sentence of its docstring. */
  meaning: string;
}

/** Above the names in a README; what follows is written by a script. */
const heading = '## Public names\n';

/** Only the clone's own sources are read: those of the packages that it stands on take ten times as long. */
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  noLib: true,
  types: [],
};

function resolved(specifier: string, importer: string): ts.ResolvedModuleWithFailedLookupLocations {
  const file = targetOf(relative(root, importer), specifier);
  if (file === undefined) return { resolvedModule: undefined };
  return {
    resolvedModule: {
      resolvedFileName: join(root, file),
      extension: extname(file),
      isExternalLibraryImport: false,
    },
  };
}

/** The entries of each package, by its folder. A name that two entries offer is in both. */
function publicNames(): Map<string, OfferedEntry[]> {
  const program = ts.createProgram(
    entries.map(({ file }) => join(root, file)),
    options,
    {
      ...ts.createCompilerHost(options),
      resolveModuleNameLiterals: (literals: readonly ts.StringLiteralLike[], importer: string) =>
        literals.map(({ text }) => resolved(text, importer)),
    },
  );
  const offered = entries.map(({ folder, specifier, file }) => ({
    folder,
    // The public library is what the clone publishes.
    specifier: specifier.replace(/^@gatehouse\/gatehouse(?=\/|$)/, published),
    names: namesIn(program, join(root, file)),
  }));
  return Map.groupBy(offered, ({ folder }) => folder);
}

function namesIn(program: ts.Program, file: string): PublicName[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const face = source && checker.getSymbolAtLocation(source);
  const exported = face ? checker.getExportsOfModule(face) : [];
  return exported
    .map((symbol) => {
      const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const text = ts.displayPartsToString(meant.getDocumentationComment(checker));
      return { name: symbol.name, meaning: firstSentence(text) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function firstSentence(text: string): string {
  return (/^.*?[.:](?=\s|$)/s.exec(text)?.[0] ?? text).replace(/\s+/g, ' ').replace(/:$/, '.').trim();
}

/** The README of each package with the names that it offers now, by path. */
export function readmesWithNames(): Record<string, string> {
  return Object.fromEntries(
    [...publicNames()].map(([folder, offered]) => {
      const path = `${folder}/README.md`;
      return [path, readmeWith(readFileSync(join(root, path), 'utf8'), offered)];
    }),
  );
}

function readmeWith(readme: string, offered: OfferedEntry[]): string {
  const lines = offered.flatMap(({ specifier, names }) => [
    '',
    `### \`${specifier}\``,
    '',
    ...names.map(({ name, meaning }) => `- \`${name}\`${meaning === '' ? '' : `: ${meaning}`}`),
  ]);
  const above = readme.includes(heading)
    ? readme.slice(0, readme.indexOf(heading))
    : `${readme.trimEnd()}\n\n`;
  return `${above}${heading}${lines.join('\n')}\n`;
}
