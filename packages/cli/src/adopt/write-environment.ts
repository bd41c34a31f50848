import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exception, KnownAccess } from '@gatehouse/core/graph';
import { GatehouseError, setSecretCommand } from '@gatehouse/core/values';
import { Document, Scalar, visit } from 'yaml';
import { recordName } from '../open/known.ts';
import { type AdoptedEnvironment, adoptedSecrets } from './environment-of.ts';
import type { ImportFile } from './import-file.ts';

/** What stays as it is on a service: errors for a while, and what others manage. */
interface LeftAsIs {
  exceptions: readonly Exception[];
  known: readonly KnownAccess[];
}

/**
 * Writes the stack file and the policies. No file is ever overwritten; one that stands in the way of the import file or of the
 * record of what is known also stops this.
 *
 * @returns paths relative to the folder
 * @throws GatehouseError `file_exists`
 */
export async function writeEnvironment(
  directory: string,
  stack: string,
  environment: AdoptedEnvironment,
  accepted: LeftAsIs,
): Promise<string[]> {
  const files: [path: string, text: string][] = [
    [`Pulumi.${stack}.yaml`, stackFile(stack, environment, accepted)],
    ...environment.policies.map(({ name, text }): [string, string] => [policyFile(stack, name), text]),
  ];
  const paths = files.map(([path]) => path);
  for (const path of [...paths, importPath(stack), recordName(stack)]) {
    const isThere = await access(join(directory, path)).then(
      () => true,
      () => false,
    );
    if (isThere) throw fileExists(path);
  }
  await mkdir(join(directory, 'policies', stack), { recursive: true });
  for (const [path, text] of files) await writeNew(directory, path, text);
  return paths;
}

/** Writes the import file. @throws GatehouseError `file_exists` */
export async function writeImport(directory: string, stack: string, imports: ImportFile): Promise<string> {
  const path = importPath(stack);
  await writeNew(directory, path, `${JSON.stringify(imports, null, 4)}\n`);
  return path;
}

function importPath(stack: string): string {
  return `import.${stack}.json`;
}

async function writeNew(directory: string, path: string, text: string): Promise<void> {
  try {
    await writeFile(join(directory, path), text, { flag: 'wx' });
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).code === 'EEXIST' ? fileExists(path) : cause;
  }
}

function fileExists(path: string): GatehouseError {
  return new GatehouseError('file_exists', { given: path });
}

/** The path of a policy's file. Names of policies may have slashes and other letters that file names cannot have. */
function policyFile(stack: string, name: string): string {
  return `policies/${stack}/${encodeURIComponent(name)}.hcl`;
}

function stackFile(stack: string, environment: AdoptedEnvironment, { exceptions, known }: LeftAsIs): string {
  const { service, providers, groups, policies, messages } = environment;
  const secrets = adoptedSecrets.flatMap((key) =>
    environment[key].map((name) => setSecretCommand(key, name, stack)),
  );
  const lists: [key: string, list: unknown[]][] = [
    ['gatehouse:providers', providers],
    ['gatehouse:groups', groups],
    ['gatehouse:policies', policies.map(({ name }) => ({ name, file: policyFile(stack, name) }))],
    ['gatehouse:messages', messages],
    ['gatehouse:known', [...known]],
    ['gatehouse:exceptions', [...exceptions]],
  ];
  const document = new Document({
    config: {
      'gatehouse:service': service,
      ...Object.fromEntries(lists.filter(([, list]) => list.length > 0)),
      'gatehouse:rules': { preset: 'strict' },
    },
  });
  document.commentBefore = [
    ` Read from ${service.address} by gatehouse adopt.`,
    ...(secrets.length === 0
      ? []
      : [
          '',
          ' REQUIRED: the service never returns these secrets. Set each before the first preview:',
          ...secrets.map((line) => `   ${line}`),
        ]),
  ].join('\n');
  visit(document, {
    Scalar(_, node) {
      // A PEM keeps its lines.
      if (typeof node.value === 'string' && /\S\n/.test(node.value)) node.type = Scalar.BLOCK_LITERAL;
      // Pulumi's YAML reader takes more plain texts for numbers and times than this writer knows of.
      else if (typeof node.value === 'string' && !/^[A-Za-z][\w ./@-]*$/.test(node.value))
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 });
}
