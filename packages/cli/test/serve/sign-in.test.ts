import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { readSignIn } from '../../src/serve/sign-in.ts';

const folder = temporaryFolder();
const file = (text: string) => {
  const path = join(folder, 'sign-in.yaml');
  writeFileSync(path, text);
  return path;
};
const env = { SECRET: 'a secret', VAULT_ADDR: 'https://secrets.example.com' };
const least = {
  issuer: 'https://id.example.com',
  clientId: 'gatehouse',
  clientSecret: 'SECRET',
  groups: { admins: ['gatehouse-deploy'], auditors: [] },
};

describe('the issuer of the pages', () => {
  test('has its secret from the environment, and defaults', async () => {
    expect(await readSignIn(file(stringify(least)), env)).toEqual({
      ...least,
      clientSecret: 'a secret',
      scopes: [],
      userClaim: 'sub',
      groupsClaim: 'groups',
    });
  });

  test('may use http on loopback', async () => {
    const issuer = 'http://127.0.0.1:8080/realms/main';
    expect(await readSignIn(file(stringify({ ...least, issuer })), env)).toMatchObject({ issuer });
  });

  test.each<[about: string, change: object, names: RegExp]>([
    ['http elsewhere', { issuer: 'http://id.example.com' }, /issuer: is an https address/],
    ['a query', { issuer: 'https://id.example.com/?a' }, /issuer: is an https address/],
    ['another scheme', { issuer: 'javascript:alert(1)' }, /issuer: /],
    ['no client', { clientId: '' }, /clientId: /],
    ['a secret instead of its variable', { clientSecret: 'pass-word' }, /clientSecret: is the name/],
    ['a variable that is not set', { clientSecret: 'OTHER' }, /variable OTHER is not set/],
    ['no group', { groups: {} }, /groups: needs a group/],
    ['root', { groups: { admins: ['root'] } }, /root is not given by a group/],
    ['root in disguise', { groups: { admins: [' ROOT '] } }, /root is not given by a group/],
    ['a key that is none', { group: {} }, /group/],
  ])('may not have %s', async (_, change, names) => {
    const error = await readSignIn(file(stringify({ ...least, ...change })), env).catch((one) => one);
    expect(error).toMatchObject({ code: 'sign_in_invalid', parts: { what: expect.stringMatching(names) } });
    expect(String(error)).not.toMatch(/pass-word|a secret/);
  });

  test('needs pages', async () => {
    const read = readSignIn(file(stringify(least)), { SECRET: 'a secret' });
    await expect(read).rejects.toMatchObject({ code: 'sign_in_invalid' });
  });

  test('is a file of YAML', async () => {
    await expect(readSignIn(file(': ['), env)).rejects.toMatchObject({ code: 'sign_in_invalid' });
    await expect(readSignIn(join(folder, 'none'), env)).rejects.toMatchObject({ code: 'file_unreadable' });
  });
});
