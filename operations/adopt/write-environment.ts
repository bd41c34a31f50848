import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Document, Scalar, visit } from 'yaml';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { type AdoptedEnvironment, leftWords } from './environment-of.ts';
import type { ImportFile } from './import-file.ts';

/**
 * Writes the stack file, the policies and the import file. Nothing that is there is written over.
 *
 * @returns paths relative to the folder
 * @throws GatehouseError `file_exists`
 */
export async function writeEnvironment(
  directory: string,
  stack: string,
  environment: AdoptedEnvironment,
  imports: ImportFile,
  rulesOff: string[],
): Promise<string[]> {
  const files: [path: string, text: string][] = [
    [`Pulumi.${stack}.yaml`, stackFile(stack, environment, rulesOff)],
    ...environment.policies.map(({ name, text }): [string, string] => [policyFile(stack, name), text]),
    [`import.${stack}.json`, `${JSON.stringify(imports, null, 4)}\n`],
  ];
  await mkdir(join(directory, 'policies', stack), { recursive: true });
  for (const [path, text] of files) {
    try {
      await writeFile(join(directory, path), text, { flag: 'wx' });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
      throw new GatehouseError({
        code: 'file_exists',
        what: 'This file exists already and is not overwritten.',
        given: path,
        fix: 'Give another --stack or --output, or move the file away.',
      });
    }
  }
  return files.map(([path]) => path);
}

/** Names of policies may have slashes, and what no file system likes. */
function policyFile(stack: string, name: string): string {
  return `policies/${stack}/${encodeURIComponent(name)}.hcl`;
}

function stackFile(stack: string, environment: AdoptedEnvironment, rulesOff: string[]): string {
  const { service, providers, policies, messages, clientSecrets, serviceAccountKeys } = environment;
  const secrets = [
    ...clientSecrets.map(
      (name) => `pulumi config set --stack ${stack} --secret --path 'gatehouse:clientSecrets.${name}'`,
    ),
    ...serviceAccountKeys.map(
      (name) => `pulumi config set --stack ${stack} --secret --path 'gatehouse:serviceAccountKeys.${name}'`,
    ),
  ];
  const left = leftWords(environment);
  const document = new Document({
    config: {
      'gatehouse:service': service,
      ...(providers.length === 0 ? {} : { 'gatehouse:providers': providers }),
      ...(policies.length === 0
        ? {}
        : { 'gatehouse:policies': policies.map(({ name }) => ({ name, file: policyFile(stack, name) })) }),
      ...(messages.length === 0 ? {} : { 'gatehouse:messages': messages }),
      ...(rulesOff.length === 0
        ? {}
        : {
            'gatehouse:rules': {
              off: Object.fromEntries(
                rulesOff.map((id) => [id, 'was already like this when adopted; fix it']),
              ),
            },
          }),
    },
  });
  document.commentBefore = [
    ` Read from ${service.address} by gatehouse adopt.`,
    ...(secrets.length === 0
      ? []
      : [
          '',
          ' REQUIRED: no service tells these secrets. Set each before the first preview:',
          ...secrets.map((line) => `   ${line}`),
        ]),
    ...(left.length === 0
      ? []
      : ['', ' Left as it is, not managed here:', ...left.map((line) => `   ${line.replace(/\s+/g, ' ')}`)]),
  ].join('\n');
  visit(document, {
    Scalar(_, node) {
      // Pulumi's reader of YAML takes more for numbers and times than this one does.
      if (typeof node.value === 'string' && !/^[A-Za-z][\w ./@-]*$/.test(node.value))
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 });
}
