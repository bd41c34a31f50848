import { describe, expect, test } from '@jest/globals';
import { linesOf } from './unmodeled-lines.ts';

describe('a literal with the form of a credential', () => {
  const kept = 'kv_secret.c path: secret/shared/creds, data_json';

  test.each<[what: string, plan: string, lines: string[]]>([
    [
      'a token',
      `+ ${kept}: '{"t":"hvs.CAESIJlU9Rk2k3Q0a0Zyb0o"}'`,
      ['who reads a token at secret/shared/creds'],
    ],
    [
      'a token of OpenBao',
      `+ ${kept}: '{"t":"s.kQz1Bn3XyTq8Rw5LpVd7Hs2M"}'`,
      ['who reads a token at secret/shared/creds'],
    ],
    [
      'what signs in as an AppRole',
      `+ ${kept}: '{"role_id":"a","secret_id":"b"}'`,
      ['who reads a role id and a secret id at secret/shared/creds'],
    ],
    [
      'the name of a user, and a password',
      `mount people userpass
       generic_endpoint.ann path: auth/people/users/ann, data_json: '{}'
       + ${kept}: '{"db":{"username":"ann","password":"x"}}'`,
      ['who reads a name and a password at secret/shared/creds'],
    ],
    ['a name of no user, and a password', `+ ${kept}: '{"username":"ann","password":"x"}'`, []],
    ['a value of another form', `+ ${kept}: '{"url":"https://hvs.example.com/s.html"}'`, []],
    ['a token that stays', `${kept}: '{"t":"hvs.CAESIJlU9Rk2k3Q0a0Zyb0o"}'`, []],
  ])('%s', (_, plan, lines) => {
    expect(linesOf(plan)).toEqual(lines);
  });
});
