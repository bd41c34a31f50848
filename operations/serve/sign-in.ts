import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { isLoopback } from '../../core/model/redirect-uris.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { IssuerSettings } from '../../run-tasks/pages/issuer-sign-in.ts';

const text = z.string().min(1);

const signInFile = z.strictObject({
  issuer: z.url({ protocol: /^https?$/ }).refine((url) => {
    const parsed = URL.parse(url);
    return (
      parsed !== null &&
      (parsed.protocol === 'https:' || isLoopback(parsed)) &&
      parsed.search + parsed.hash === ''
    );
  }, 'is an https address without a query'),
  clientId: text,
  clientSecret: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is the name of an environment variable'),
  scopes: z.array(text).default([]),
  userClaim: text.default('sub'),
  groupsClaim: text.default('groups'),
  groups: z
    .record(
      text,
      z.array(
        text.refine((policy) => policy.trim().toLowerCase() !== 'root', 'root is not given by a group'),
      ),
    )
    .refine((groups) => Object.keys(groups).length > 0, 'needs a group'),
});

/**
 * The issuer at which people sign in to the pages. Its secret is in an environment variable, never in the file.
 *
 * @param path YAML, as docs/run-pages.md has it
 * @throws GatehouseError `sign_in_invalid`, `file_unreadable`
 */
export async function readSignIn(path: string, env: NodeJS.ProcessEnv): Promise<IssuerSettings> {
  let written: string;
  try {
    written = await readFile(path, 'utf8');
  } catch (cause) {
    const what = 'the file with the issuer of sign-ins cannot be read';
    throw new GatehouseError({ code: 'file_unreadable', what, given: path, cause });
  }
  let given: unknown;
  try {
    given = parse(written);
  } catch (cause) {
    throw invalid((cause as Error).message, path);
  }
  const parsed = signInFile.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`);
    throw invalid(problems.join('\n  '), path);
  }
  const { clientSecret: variable, ...settings } = parsed.data;
  const clientSecret = env[variable];
  if (!clientSecret) throw invalid(`clientSecret: the environment variable ${variable} is not set`, path);
  if (!env['VAULT_ADDR'])
    throw invalid('there are pages only where VAULT_ADDR names a secrets service', path);
  return { ...settings, clientSecret };
}

function invalid(what: string, where: string): GatehouseError {
  return new GatehouseError({
    code: 'sign_in_invalid',
    what,
    where,
    allowed:
      '{ issuer: https://id.example.com, clientId: gatehouse, clientSecret: SIGN_IN_SECRET, groups: { on-call: [gatehouse-deploy] } }',
  });
}
