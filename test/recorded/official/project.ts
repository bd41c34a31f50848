import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../harness/environment-under-test.ts';
import { recordedExchanges, recordedIssuers } from './recording.ts';

/** Writes the project that was recorded: this program, and the texts of the policies as they were then. */
export async function writeProject(folder: string): Promise<void> {
  await copyFile(join(root, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', main: 'main.mjs' }));
  await writeFile(join(folder, 'main.mjs'), `export * from ${JSON.stringify(join(root, 'main.mjs'))};\n`);
  await mkdir(join(folder, 'policies'));
  for (const { method, path, body } of recordedExchanges()) {
    if (method !== 'PUT' || !path.startsWith('sys/policies/acl/')) continue;
    const { policy } = body as { policy: string };
    await writeFile(join(folder, 'policies', `${path.split('/').at(-1)}.hcl`), policy);
  }
}

/** Writes the stack's file at a step, with the identity providers of a test. */
export async function writeStackFile(folder: string, step: string, issuers: string): Promise<void> {
  const file = new URL(`./environments/${step.replaceAll(' ', '-')}.yaml`, import.meta.url);
  const text = await readFile(file, 'utf8');
  await writeFile(join(folder, 'Pulumi.dev.yaml'), text.replaceAll(recordedIssuers, issuers));
}
