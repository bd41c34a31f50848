import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { givenInConfig, secretOwnersIn, serviceAccountKeyProblem } from '@gatehouse/core/environment';
import { GatehouseError, isSecretKey, secretKeys } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { writeSecret } from '@gatehouse/engine/stack-files';
import { inClearOf } from '../open/open-environment.ts';
import { openStack } from '../open/open-stack.ts';

type SecretOwner = ReturnType<typeof secretOwnersIn>[number];

/** A secret that a stack has, or can have. */
export interface StackSecret extends SecretOwner {
  isSet: boolean;
  /** It is in the stack's file, not encrypted. */
  isInClear: boolean;
  /** False for one that nothing in the environment uses. */
  used: boolean;
}

/**
 * The secrets of a stack, by name; its environment need not be valid.
 *
 * @param name of `--stack`; defaults to `PULUMI_STACK`
 * @throws GatehouseError what `openStack` throws
 */
export async function openSecrets(
  directory: string,
  name: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<{ stack: Stack; secrets: StackSecret[] }> {
  const stack = await openStack(directory, name, env);
  const keys = Object.keys(secretKeys).map((key) => `gatehouse:${key}`);
  const given = givenInConfig({
    config: Object.fromEntries(
      // A key without a value holds no secret yet.
      [...stack.config].flatMap(([key, { value }]) =>
        keys.includes(key) && value === '' ? [] : [[key, value]],
      ),
    ),
    readFile: (path) => readFileSync(join(stack.directory, path), 'utf8'),
    stack: stack.name,
  }).keys;
  const owners = secretOwnersIn(given);
  const set = Object.keys(secretKeys).flatMap((key) =>
    isSecretKey(key) ? ((given[key] ?? []) as string[]).map((owner) => ({ key, name: owner })) : [],
  );
  const isSame = (one: Named) => (other: Named) => one.key === other.key && one.name === other.name;
  const secrets = [
    ...owners.map((owner) => ({ ...owner, isSet: set.some(isSame(owner)), used: true })),
    ...set
      .filter((one) => !owners.some(isSame(one)))
      .map((one) => ({ ...one, needed: false, isSet: true, used: false })),
  ];
  return {
    stack,
    secrets: secrets.map((secret) => {
      const clear = inClearOf(stack, `gatehouse:${secret.key}`);
      return { ...secret, isInClear: secret.isSet && (clear === 'all' || clear.includes(secret.name)) };
    }),
  };
}

type Named = Pick<StackSecret, 'key' | 'name'>;

/** `clientSecrets.staff` */
export function secretName({ key, name }: Named): string {
  return `${key}.${name}`;
}

/**
 * The secret that a person means.
 *
 * @param given `clientSecrets.staff`, or `staff` where that is one secret only
 * @throws GatehouseError `secret_unknown`, `secret_ambiguous`
 */
export function findSecret(given: string, secrets: readonly StackSecret[]): StackSecret {
  const wanted = given.replace(/^gatehouse:/, '');
  const [found, ...rest] = secrets.filter(
    (secret) => secretName(secret) === wanted || secret.name === wanted,
  );
  if (found === undefined) {
    throw new GatehouseError('secret_unknown', {
      given,
      allowed: secrets.map(secretName).join(', ') || 'none',
    });
  }
  if (rest.length === 0) return found;
  throw new GatehouseError('secret_ambiguous', {
    given,
    allowed: [found, ...rest].map(secretName).join(', '),
  });
}

/**
 * Writes a secret into the stack's file, encrypted.
 *
 * @returns the file's absolute path
 * @throws GatehouseError `secret_missing`, `secret_invalid`, and what `writeSecret` throws
 */
export async function setSecret(
  stack: Stack,
  { key, name }: Named,
  value: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  if (value === '') {
    throw new GatehouseError('secret_missing');
  }
  const problem = key === 'serviceAccountKeys' ? serviceAccountKeyProblem(value) : undefined;
  if (problem !== undefined) throw new GatehouseError('secret_invalid', { values: { problem } });
  return writeSecret(stack, { key: `gatehouse:${key}`, name, value }, env);
}

/** Removes a secret from the stack's file. @returns the file's absolute path */
export function removeSecret(stack: Stack, { key, name }: Named, env: NodeJS.ProcessEnv): Promise<string> {
  return writeSecret(stack, { key: `gatehouse:${key}`, name, value: undefined }, env);
}
