import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Environment } from '../../packages/core/src/environment/environment.ts';
import { environmentFromConfig } from '../../packages/core/src/environment/environment-config.ts';
import { root } from '../harness/environment-under-test.ts';
import { serviceAccountKey } from '../harness/service-account-key.ts';

/** Reads the text of a stack file, as a document shows it, the way a program gets it. */
export function environmentOf(stackFile: string): Environment {
  const { config } = parse(stackFile) as { config: Record<string, unknown> };
  // Documents show secrets encrypted.
  for (const [key, secret] of [
    ['gatehouse:clientSecrets', 'a secret'],
    ['gatehouse:serviceAccountKeys', JSON.stringify(serviceAccountKey)],
  ] as const) {
    const secrets = (config[key] ?? {}) as object;
    for (const name of Object.keys(secrets)) Object.assign(secrets, { [name]: secret });
  }
  return environmentFromConfig({
    config: Object.fromEntries(
      Object.entries(config).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
    readFile: (path) => readFileSync(join(root, path), 'utf8'),
  });
}
