import { GatehouseError, isLoopback } from '@gatehouse/core/values';
import type { IssuerSettings } from '@gatehouse/run-tasks';
import { z } from 'zod';
import { readSettings, variableName } from './read-settings.ts';

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
  clientSecret: variableName,
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

const example =
  '{ issuer: https://id.example.com, clientId: gatehouse, clientSecret: SIGN_IN_SECRET, groups: { on-call: [gatehouse-deploy] } }';

/**
 * The issuer at which people sign in to the pages. Its secret is in an environment variable, never in the file.
 *
 * @param path YAML, as docs/deploy.md has it
 * @throws GatehouseError `sign_in_invalid`, `file_unreadable`
 */
export async function readSignIn(path: string, env: NodeJS.ProcessEnv): Promise<IssuerSettings> {
  const about = { where: path, allowed: example };
  const invalid = (problems: string) =>
    new GatehouseError('sign_in_invalid', { ...about, values: { problems } });
  const read = await readSettings(path, signInFile, 'file with the issuer of sign-ins', invalid);
  const { clientSecret: variable, ...settings } = read;
  const clientSecret = env[variable];
  if (!clientSecret) throw new GatehouseError('sign_in_invalid.secret', { ...about, values: { variable } });
  if (!env['VAULT_ADDR']) throw new GatehouseError('sign_in_invalid.pages', about);
  return { ...settings, clientSecret };
}
