// Writes packages/pulumi-package/schema.json, from the components' classes and the types of their arguments, by the
// SDK's own analyzer. The plugin of a clone runs it where the file is out of date, and scripts/package.ts for the npm
// package.
import { renameSync, writeFileSync } from 'node:fs';
import { Analyzer } from '@pulumi/pulumi/provider/experimental/analyzer.js';
import { generateSchema } from '@pulumi/pulumi/provider/experimental/schema.js';
import ts from 'typescript';
import { secretInputs } from '../components/inputs.ts';
import { groupMembership } from '../packages/core/src/graph/kinds/cloud-directory.ts';
import { configFields, MethodType, tuneFields } from '../packages/core/src/graph/resources/auth-method.ts';
import { signingAlgorithms } from '../packages/core/src/graph/resources/checks.ts';
import { MessageType } from '../packages/core/src/graph/resources/custom-message.ts';
import { roleFields } from '../packages/core/src/graph/resources/role.ts';
import { Dialect } from '../packages/core/src/graph/values/wire.ts';
import { components } from '../packages/pulumi-package/components.ts';
import type { EnumSpec, PackageSchema, PropertySpec, TypeSpec } from '../packages/pulumi-package/schema.ts';

/** Each closed set: its values, what it is, and the properties that take one, by name or by type and name. */
const enums: Record<string, [values: readonly string[], description: string, ...properties: string[]]> = {
  BoundClaimsType: [
    roleFields.boundClaimsType.schema.options,
    'How bound claims are compared.',
    'boundClaimsType',
  ],
  Dialect: [Object.values(Dialect), 'Spellings that are sent to the service.', 'dialect'],
  GroupMembership: [groupMembership.options, 'Which groups a token names.', 'groupMembership'],
  ListingVisibility: [
    tuneFields.listingVisibility.schema.options,
    'Whether the sign-in page lists a method.',
    'listingVisibility',
  ],
  MessageType: [Object.values(MessageType), 'How a message is shown.', 'CustomMessage.type'],
  MethodType: [
    Object.values(MethodType),
    'Whether people sign in by browser, or workloads by token.',
    'AuthMethod.type',
    'roleType',
  ],
  MountTokenType: [tuneFields.tokenType.schema.options, 'Type of a method’s tokens.', 'Tune.tokenType'],
  ResponseMode: [
    configFields.oidcResponseMode.schema.options,
    'How a provider sends its answer back.',
    'oidcResponseMode',
  ],
  ResponseType: [
    configFields.oidcResponseTypes.schema.element.options,
    'What a provider is asked for.',
    'oidcResponseTypes',
  ],
  SigningAlgorithm: [signingAlgorithms, 'Algorithm of a signature.', 'jwtSupportedAlgs'],
  TokenType: [roleFields.tokenType.schema.options, 'Type of a role’s tokens.', 'tokenType'],
};

/** Properties that take a duration: a text or seconds. */
const durations = Object.entries({ ...roleFields, ...tuneFields }).flatMap(([name, { type }]) =>
  type === 'seconds' ? name : [],
);

const folder = new URL('../packages/pulumi-package/', import.meta.url);

/** The schema of the package, as text. The plugin adds the version. */
export function packageSchema(): string {
  const analyzer = new Analyzer(
    folder.pathname,
    'gatehouse',
    { main: 'index.mjs' },
    new Set(components.keys()),
  );
  const analysis = analyzer.analyze();
  // What each output of a provider means stands once, in the interface of all providers.
  const meanings = documented(analyzer['program'], 'ProviderOutputs');
  for (const { outputs } of Object.values(analysis.components))
    for (const [name, output] of Object.entries(outputs)) output.description ??= meanings.get(name);
  const { version: _, ...schema } = generateSchema(
    'gatehouse',
    '',
    'Login as code: how people and workloads sign in to a Vault-compatible secrets service.',
    analysis.components,
    analysis.typeDefinitions,
    analysis.dependencies,
  );
  for (const [name, description] of documented(analyzer['program'])) {
    const type = schema.types[`gatehouse:index:${name}`];
    if (type !== undefined) type.description = description;
  }
  narrow(schema as PackageSchema);
  const described = {
    ...schema,
    displayName: 'Gatehouse',
    publisher: 'Gatehouse',
    // SDKs are called by it: `@gatehouse/gatehouse`, `gatehouse_gatehouse`. The default is Pulumi's own.
    namespace: 'gatehouse',
    repository: 'https://git.example.com/platform/gatehouse',
    keywords: ['gatehouse', 'vault', 'openbao', 'oidc', 'jwt', 'kind/component', 'category/infrastructure'],
    license: 'Apache-2.0',
    // Where SDKs are imported from in Go: below the repository.
    language: {
      ...schema.language,
      go: {
        respectSchemaVersion: true,
        importBasePath: 'git.example.com/platform/gatehouse/sdk/go/gatehouse',
      },
    },
  };
  const text = JSON.stringify(described, readable, 2);
  return `${text}\n`;
}

/** Says of properties what their types in TypeScript do not: closed sets, durations, secrets. */
function narrow({ types, resources }: PackageSchema): void {
  const objects = [
    ...Object.entries(types).map(
      ([token, spec]) => [token, 'properties' in spec ? spec.properties : {}] as const,
    ),
    ...Object.entries(resources).map(([token, spec]) => [token, spec.inputProperties] as const),
  ];
  for (const [token, properties] of objects) {
    for (const [name, property] of Object.entries(properties)) {
      if (secretInputs.includes(name)) property.secret = true;
      if (durations.includes(name)) {
        delete property.type;
        property.oneOf = [{ type: 'string' }, { type: 'integer' }];
      }
      const choice = enumOf(`${token.split(':').at(-1)}.${name}`) ?? enumOf(name);
      if (choice !== undefined) refer(property.items ?? property, choice);
    }
  }
  for (const [name, [values, description]] of Object.entries(enums)) {
    const spec: EnumSpec = { type: 'string', description, enum: values.map((value) => ({ value })) };
    types[`gatehouse:index:${name}`] = spec;
  }
}

function enumOf(property: string): string | undefined {
  return Object.keys(enums).find((name) => enums[name]?.includes(property, 2));
}

function refer(type: TypeSpec | PropertySpec, name: string): void {
  delete type.type;
  type.$ref = `#/types/gatehouse:index:${name}`;
}

/** What the interfaces of the program mean, or the members of one. The analyzer looks only where it looks for components. */
function documented(program: ts.Program, within?: string): ReadonlyMap<string, string | undefined> {
  const own = program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile);
  const all = own.flatMap(({ statements }) => statements.filter(ts.isInterfaceDeclaration));
  const named =
    within === undefined
      ? all
      : all.flatMap((declaration) => (declaration.name.text === within ? [...declaration.members] : []));
  return new Map(
    named.map((declaration) => [
      declaration.name?.getText() ?? '',
      ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(declaration)[0]?.comment),
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
