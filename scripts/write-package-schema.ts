// Writes packages/pulumi-package/schema.json, from the components' classes and the types of their arguments, by the
// SDK's own analyzer. The plugin of a clone runs it where the file is out of date, and scripts/package.ts for the npm
// package.
import { renameSync, writeFileSync } from 'node:fs';
import { Analyzer } from '@pulumi/pulumi/provider/experimental/analyzer.js';
import { generateSchema } from '@pulumi/pulumi/provider/experimental/schema.js';
import ts from 'typescript';
import { components } from '../packages/pulumi-package/components.ts';

const folder = new URL('../packages/pulumi-package/', import.meta.url);

/** The schema of the package, as text. The plugin adds the version. */
export function packageSchema(): string {
  const analyzer = new Analyzer(
    folder.pathname,
    'gatehouse',
    { main: 'index.mjs' },
    new Set(components.keys()),
  );
  const found = analyzer.analyze();
  const { version: _, ...schema } = generateSchema(
    'gatehouse',
    '',
    'Login as code: how people and workloads sign in to a Vault-compatible secrets service.',
    found.components,
    found.typeDefinitions,
    found.dependencies,
  );
  for (const [name, description] of documented(analyzer['program'])) {
    const type = schema.types[`gatehouse:index:${name}`];
    if (type !== undefined) type.description = description;
  }
  const described = {
    ...schema,
    displayName: 'Gatehouse',
    keywords: ['gatehouse', 'vault', 'openbao', 'oidc', 'jwt', 'kind/component', 'category/infrastructure'],
    license: 'Apache-2.0',
    // Where SDKs are imported from in Go: what the generator would choose, said rather than left to it.
    language: {
      ...schema.language,
      go: {
        respectSchemaVersion: true,
        importBasePath: 'github.com/pulumi/pulumi-gatehouse/sdk/go/gatehouse',
      },
    },
  };
  const text = JSON.stringify(described, readable, 2);
  return `${text}\n`;
}

/** What the interfaces of the program mean. The analyzer looks only where it looks for components. */
function documented(program: ts.Program): [string, string | undefined][] {
  const own = program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile);
  return own.flatMap(({ statements }) =>
    statements
      .filter(ts.isInterfaceDeclaration)
      .map((one): [string, string | undefined] => [
        one.name.text,
        ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(one)[0]?.comment),
      ]),
  );
}

/** Lists say which properties are required, so none says that it is optional; and all numbers of the components are whole. */
function readable(key: string, value: unknown): unknown {
  if (key === 'optional') return undefined;
  return key === 'type' && value === 'number' ? 'integer' : value;
}

if (import.meta.main) {
  // Another process may read it at this moment.
  const written = new URL(`schema.json.${process.pid}`, folder);
  writeFileSync(written, packageSchema());
  renameSync(written, new URL('schema.json', folder));
}
