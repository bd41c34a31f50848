import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { type DevConfig, environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeOnOpenBao } from '../../../../test/harness/two-servers.ts';
import { runCommand } from '../running-command.ts';
import { setUpBrownfield } from './brownfield/scene.ts';

const named = (list: DevConfig[], name: string): DevConfig => {
  const found = list.find((one) => one['name'] === name);
  if (found === undefined) throw new Error(`${name} is not declared`);
  return found;
};
const provider = (config: DevConfig, name: string) => named(config['gatehouse:providers'], name);
const role = (config: DevConfig, method: string, name: string) =>
  named(provider(config, method)['roles'], name);
const group = (config: DevConfig, name: string) => named(provider(config, 'oidc')['groups'], name);
const policies = (config: DevConfig) => config['gatehouse:policies'] as DevConfig[];

interface EverydayChange {
  edit(config: DevConfig): void;
  /** The rows of the report, and its headline. */
  report: string;
  /** The preset `strict`, which `adopt` writes, stops it. Defaults to false. */
  isStopped?: true;
}

const pay = 'path "secret/data/pay/*" { capabilities = ["create", "read", "update"] }\n';

const changes: Record<string, EverydayChange> = {
  'a new role for tags of one repository': {
    edit: (config) => {
      const deploy = role(config, 'ci', 'deploy-shop');
      const boundClaims = { repository: 'acme/shop', ref_type: 'tag' };
      provider(config, 'ci')['roles'].push({ ...deploy, name: 'release-shop', boundClaims });
    },
    report: `
+ 1 role gains access.

  WHO                                        BEFORE  AFTER
+ role ci/release-shop                       –       read secret/data/ci/*
    any ref of repository acme/shop,         –       read secret/data/shop/prod
    audience "https://vault.example.com",
    claim ref_type "tag"
    gains: ci-deploy, default
`,
  },
  'a new group, in an internal one': {
    edit: (config) => {
      policies(config).push({ name: 'pay', policy: pay });
      provider(config, 'oidc')['groups'].push({ name: 'team-pay', alias: '/pay', policies: ['pay'] });
      named(config['gatehouse:groups'], 'engineering')['members'].push('team-pay');
    },
    report: `
+ 1 group gains access.

  WHO                                      BEFORE                  AFTER
+ group team-pay                           –                       read database/creds/web-*
    people in "/pay" by role oidc/default  secret/data/pay/*:      create, read, update
    gains: pay, web                        read
    The rule for secret/data/pay/* in policy pay, which they gain, decides there instead of secret/data/*.
`,
  },
  'tokens of one role expire sooner': {
    edit: (config) => {
      role(config, 'oidc', 'default')['ttl'] = '1h';
    },
    report: `
✓ No one gains or loses access (every way to a token of this service checked: 4 roles, 6 groups, 9 roles and users of other methods; not tokens made by hand). Tokens of role oidc/default expire sooner.

  WHO                BEFORE  AFTER
~ role oidc/default  ttl 8h  ttl 1h
`,
  },
  'a group gets another name, with the same alias': {
    edit: (config) => {
      group(config, 'team-shop')['name'] = 'shop-developers';
      named(config['gatehouse:groups'], 'engineering')['members'] = ['platform', 'shop-developers'];
    },
    report: `
✓ No one gains or loses access (every way to a token of this service checked: 4 roles, 6 groups, 9 roles and users of other methods; not tokens made by hand).
`,
  },
  'a role gets another policy': {
    edit: (config) => {
      role(config, 'ci', 'deploy-shop')['policies'] = ['shop-dev'];
    },
    report: `
! 1 role gains access, 1 loses it.

  WHO                  BEFORE                  AFTER
~ role ci/deploy-shop  –                       create, delete, read, update secret/data/shop/*
    gains: shop-dev    –                       read, update secret/data/shop/+/config
    loses: ci-deploy   secret/data/shop/prod:  create, delete, read, update
                       read
                       read secret/data/ci/*   –
`,
  },
  'a denial is taken from the role of everyone': {
    edit: (config) => {
      role(config, 'oidc', 'default')['policies'] = ['secrets-read'];
    },
    isStopped: true,
    report: `
✗ 1 error. 1 role gains access.
✗ role oidc/default: Now allowed, and denied before: read "secret/data/prod/*".
    Keep the denial, or take away what gives the path. (denial-removed)

  WHO                  BEFORE                  AFTER
~ role oidc/default ✗  secret/data/prod/*:     read
    loses: prod-deny   deny
    Policy prod-deny no longer denies secret/data/prod/*, so secret/data/* decides there.
`,
  },
  'a policy is taken from a group': {
    edit: (config) => {
      group(config, 'platform')['policies'] = [];
    },
    report: `
+ 1 group gains access, 1 loses it.

  WHO                                        BEFORE                  AFTER
~ group platform                             sys/health: read, sudo  create, delete, list, read,
    people in "/platform" by role                                    sudo, update
    oidc/admin, or user jan of userpass      sys/mounts: read        create, delete, list, read,
    loses: ops                                                       sudo, update
                                             sys/policies/acl/*:     create, delete, list, read,
                                             list, read              sudo, update
    Policy ops is lost, so * decides there.
~ group platform                             read, sudo sys/health   –
    people in "/platform" by role            read sys/mounts         –
    oidc/default                             list, read              –
    loses: ops                               sys/policies/acl/*
`,
  },
  'a policy is deleted that others still name': {
    edit: (config) => {
      group(config, 'platform')['policies'] = [];
      config['gatehouse:policies'] = policies(config).filter((one) => one['name'] !== 'ops');
    },
    isStopped: true,
    report: `
✗ 1 error. 4 principals gain access, 3 lose it.
✗ policy ops: The policy is deleted, and still named by group oncall, role legacy-batch of approle. They lose what it gives, and its denials.
    Take it from them first, or keep it. (policy-removed)

  WHO                                        BEFORE                  AFTER
~ group platform                             sys/health: read, sudo  create, delete, list, read,
    people in "/platform" by role                                    sudo, update
    oidc/admin, or user jan of userpass      sys/mounts: read        create, delete, list, read,
    loses: ops                                                       sudo, update
  alias alice@example.com of oidc for        sys/policies/acl/*:     create, delete, list, read,
  entity alice                               list, read              sudo, update
    by role oidc/admin
  alias jan@example.com of oidc for entity
  jan
    by role oidc/admin
  alias jan of userpass for entity jan
    by user jan of userpass
    Policy ops is lost, so * decides there.
    The rules for sys/health, sys/mounts, sys/policies/acl/* are gone from policy ops, so * decides there.
~ group platform                             read, sudo sys/health   –
    people in "/platform" by role            read sys/mounts         –
    oidc/default                             list, read              –
    loses: ops                               sys/policies/acl/*
  group oncall
    by policy ops
  role legacy-batch of approle
    by policy ops
`,
  },
  'one more repository in a pattern': {
    edit: (config) => {
      const boundClaims = role(config, 'ci', 'test-all')['boundClaims'];
      boundClaims['repository'] = ['acme/*', 'partner/lib'];
    },
    report: `
! 1 role gains access.

  WHO                    BEFORE                  AFTER
~ role ci/test-all       any ref of repository   any ref of repository like acme/* or partner/lib,
    who is newly let in  like acme/*, audience   audience "https://vault.example.com"
    gains: default, web  "https://vault.example
                         .com"
                         –                       read database/creds/web-*
                         –                       read secret/data/web/*
`,
  },
};

/** In lines: the median, and the longest of all but the one of a deleted policy, which others have, too. */
const limits = { longest: 14, median: 9 };

describeOnOpenBao('everyday changes on a service that was set up by hand', (server) => {
  let folder: string;
  let adopted: string;
  const lines: number[] = [];
  const environment = environmentFor(server);
  const file = () => join(folder, 'Pulumi.prod.yaml');
  const run = (line: string) => runCommand(line.split(' '), environment().env, folder);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args]);

  beforeAll(async () => {
    folder = await environment().writeProjectWithoutStack();
    const issuer = `${environment().identity.address}/open-source-identity-server/realms/main`;
    await setUpBrownfield(server(), issuer);
    Object.assign(environment().env, { OIDC: 'only a test', OTHER: 'another' });
    for (const line of [
      `adopt --address ${server().address} --stack prod`,
      'secret set -s prod clientSecrets.oidc --from-env OIDC',
      'up -s prod --engine local --import import.prod.json --yes',
    ])
      expect(await run(line)).toMatchObject({ code: 0 });
    adopted = await readFile(file(), 'utf8');
    // What is accepted and known counts from the revision that has it.
    await writeFile(join(folder, '.gitignore'), '.gatehouse\n');
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'Adopted');
  }, 200_000);

  async function reviewed(isStopped = false): Promise<string> {
    const { out, err, code } = await run('review -s prod --engine local');
    expect({ code, err }).toEqual({ code: isStopped ? 2 : 0, err: '' });
    // What this stack has of its own, and what --show-all lists.
    const report = out.replace(/^ {2}Hidden: .*$|^i .*$/gm, '').replace(/\n{2,}/g, '\n\n');
    return report.replaceAll(/[ ]+$/gm, '').trim();
  }

  test.each(Object.entries(changes))(
    '%s',
    async (_, { edit, report, isStopped }) => {
      const config = parse(adopted);
      edit(config.config);
      await writeFile(file(), stringify(config));
      const found = await reviewed(isStopped);
      lines.push(found.split('\n').length);
      expect(found).toBe(report.trim());
    },
    60_000,
  );

  test('another client secret is nothing about access', async () => {
    await writeFile(file(), adopted);
    await run('secret set -s prod clientSecrets.oidc --from-env OTHER');
    const found = await reviewed();
    lines.push(found.split('\n').length);
    expect(found).toMatch(/^✓ No(?:thing here changes| one gains or loses) access/);
  }, 60_000);

  afterAll(() => {
    const sorted = lines.toSorted((a, b) => a - b);
    expect(sorted.at(-2)).toBeLessThanOrEqual(limits.longest);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(limits.median);
  });
});
