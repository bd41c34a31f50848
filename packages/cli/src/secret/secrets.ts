import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  givenInConfig,
  type SecretOwner,
  secretOwnersIn,
  serviceAccountKeyProblem,
} from '@gatehouse/core/environment';
import { GatehouseError, isSecretKey, secretKeys } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { writeSecret } from '@gatehouse/engine/stack-files';
import { inClearOf } from '../open/open-environment.ts';
import { openStack } from '../open/open-stack.ts';

/** A secret that a stack has, or can have. */
export interface StackSecret extends SecretOwner {
  isSet: boolean;
  /** Whether it is in the stack's file, not encrypted. */
  isInClear: boolean;
  /** False if nothing in the environment uses it. */
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
  const configKeys = givenInConfig({
    config: Object.fromEntries(
      // A key without a value holds no secret yet.
      [...stack.config].flatMap(([key, { value }]) =>
        keys.includes(key) && value === '' ? [] : [[key, value]],
      ),
    ),
    readFile: (path) => readFileSync(join(stack.directory, path), 'utf8'),
    stack: stack.name,
  }).keys;
  const owners = secretOwnersIn(configKeys);
  const set = Object.keys(secretKeys).flatMap((key) =>
    isSecretKey(key) ? ((configKeys[key] ?? []) as string[]).map((owner) => ({ key, name: owner })) : [],
  );
  const isSame = (secret: SecretId) => (other: SecretId) =>
    secret.key === other.key && secret.name === other.name;
  const secrets = [
    ...owners.map((owner) => ({ ...owner, isSet: set.some(isSame(owner)), used: true })),
    ...set
      .filter((secret) => !owners.some(isSame(secret)))
      .map((secret) => ({ ...secret, needed: false, isSet: true, used: false })),
  ];
  return {
    stack,
    secrets: secrets.map((secret) => {
      const clear = inClearOf(stack, `gatehouse:${secret.key}`);
      return { ...secret, isInClear: secret.isSet && (clear === 'all' || clear.includes(secret.name)) };
    }),
  };
}

type SecretId = Pick<StackSecret, 'key' | 'name'>;

/** `clientSecrets.staff` */
export function secretName({ key, name }: SecretId): string {
  return `${key}.${name}`;
}

/**
 * The secret that a person means.
 *
 * @param argument `clientSecrets.staff`, or `staff` where that is one secret only
 * @throws GatehouseError `secret_unknown`, `secret_ambiguous`
 */
export function findSecret(argument: string, secrets: readonly StackSecret[]): StackSecret {
  const name = argument.replace(/^gatehouse:/, '');
  const [match, ...otherMatches] = secrets.filter(
    (secret) => secretName(secret) === name || secret.name === name,
  );
  if (match === undefined) {
    throw new GatehouseError('secret_unknown', {
      given: argument,
      allowed: secrets.map(secretName).join(', ') || 'none',
    });
  }
  if (otherMatches.length === 0) return match;
  throw new GatehouseError('secret_ambiguous', {
    given: argument,
    allowed: [match, ...otherMatches].map(secretName).join(', '),
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
  { key, name }: SecretId,
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
export function removeSecret(stack: Stack, { key, name }: SecretId, env: NodeJS.ProcessEnv): Promise<string> {
  return writeSecret(stack, { key: `gatehouse:${key}`, name, value: undefined }, env);
}
