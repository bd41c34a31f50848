import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { root } from '../../../test/harness/environment-under-test.ts';
import { started } from '../../../test/harness/started.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { unknownTexts } from '../../core/src/graph/values/unknown-text.ts';
import { gateRules } from '../../core/src/review/rules/gate.ts';
import { changeRules, graphRules } from '../../core/src/review/rules/rules.ts';
import { type Diagnostic, EnforcementLevel, HostedPack, type SentResource } from './hosted-pack.ts';
import { secret, unknown, writeBefore } from './sent-preview.ts';

const { ADVISORY, MANDATORY, DISABLED } = EnforcementLevel;
const provider = { urn: 'urn:pulumi:prod::login::pulumi:providers:vault::default', inputs: {} };
const urnOf = (type: string, name: string) => `urn:pulumi:prod::login::${type}::${name}`;

function resource(type: string, name: string, inputs: Record<string, unknown>, id = name): SentResource {
  return { urn: urnOf(type, name), type, inputs, outputs: { ...inputs, id }, provider };
}
const types = {
  mount: 'vault:jwt/authBackend:AuthBackend',
  role: 'vault:jwt/authBackendRole:AuthBackendRole',
  policy: 'vault:index/policy:Policy',
  group: 'vault:identity/group:Group',
  alias: 'vault:identity/groupAlias:GroupAlias',
};
const mount = resource(types.mount, 'ci', {
  path: 'ci',
  type: 'jwt',
  oidcDiscoveryUrl: 'https://git.example.com',
  boundIssuer: 'https://git.example.com',
});
mount.outputs['accessor'] = 'auth_jwt_1';
const roleInputs = {
  backend: 'ci',
  roleName: 'build',
  roleType: 'jwt',
  userClaim: 'sub',
  boundAudiences: ['https://secrets.example.com'],
  boundClaims: { project_path: 'shop/web' },
  tokenPolicies: ['read'],
};
const role = (change: Record<string, unknown> = {}) =>
  resource(types.role, 'build', { ...roleInputs, ...change }, 'auth/ci/role/build');
const { boundAudiences: _audiences, ...unbound } = roleInputs;
/** Binds no audience. */
const unboundRole = resource(types.role, 'build', unbound, 'auth/ci/role/build');
const policy = resource(types.policy, 'read', {
  name: 'read',
  policy: 'path "kv/data/a" { capabilities = ["read"] }',
});

/** The state that holds these resources, with other fields where they are given. */
function exported(resources: SentResource[], fields: Record<string, object> = {}): object {
  return {
    version: 3,
    deployment: {
      resources: resources.map(({ urn, type, inputs, outputs, provider: by }) => ({
        urn,
        type,
        custom: true,
        inputs,
        outputs,
        id: outputs['id'],
        ...(by && { provider: `${by.urn}::1` }),
        ...fields[urn],
      })),
    },
  };
}

const pack = started(() => HostedPack.start());
const scratch = temporaryFolder();
beforeEach(() => pack().configure({}));

async function judged(
  before: object,
  after: SentResource[],
  settings: Record<string, { level: number }> = {},
): Promise<Diagnostic[]> {
  await pack().configure({
    ...settings,
    'cannot-be-judged': {
      ...settings['cannot-be-judged'],
      properties: { before: writeBefore(scratch, before) },
    },
  });
  return pack().judge(after);
}
const rulesOf = (found: Diagnostic[]) => [...new Set(found.map(({ policy: name }) => name))];

test('has the version of Gatehouse', async () => {
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  expect((await pack().info()).getVersion()).toBe(version);
});

test('where an engine shows no inputs, everything is new', async () => {
  const fresh = await HostedPack.start();
  try {
    const withoutInputs = [mount, role(), policy].map(({ inputs: _, ...one }) => one);
    const found = await fresh.judge(withoutInputs);
    expect(rulesOf(found)).toContain('mutable-bound-claim');
  } finally {
    await fresh.close();
  }
});

test('a policy a rule, with the level and severity that follow from the rule’s own', async () => {
  const info = await pack().info();
  const policies = info.getPoliciesList().map((one) => [one.getName(), one.getEnforcementlevel()]);
  expect(policies).toEqual([
    ...[...graphRules, ...changeRules, ...gateRules].map(({ id, severity }) => [
      id,
      severity === 'error' ? MANDATORY : ADVISORY,
    ]),
    ['who-gains-who-loses', ADVISORY],
    ['step-unplanned', MANDATORY],
  ]);
});

test('a finding of one resource is said at that resource, and any other at the stack', async () => {
  const again = { ...unboundRole, urn: urnOf(types.role, 'again') };
  const places = async (resources: SentResource[]) =>
    (await pack().judge(resources)).map(({ policy: rule, urn }) => [rule, urn]);
  expect(await places([mount, unboundRole, policy])).toEqual([
    ['jwt-role-without-audience', unboundRole.urn],
    ['mutable-bound-claim', unboundRole.urn],
    ['cannot-be-judged', ''],
  ]);
  expect(await places([mount, unboundRole, again, policy])).toContainEqual(['jwt-role-without-audience', '']);
});

describe('what was before', () => {
  test('is named once as not known, and what is wrong with the state itself is said', async () => {
    const found = await pack().judge([mount, unboundRole, policy]);
    expect(rulesOf(found)).toEqual(['jwt-role-without-audience', 'mutable-bound-claim', 'cannot-be-judged']);
    const [about] = found.filter(({ policy: name }) => name === 'cannot-be-judged');
    expect(about).toMatchObject({ level: ADVISORY });
    expect(about?.message).toMatch(
      /Not checked, because the state before the change is unknown: .* lock-out, .* who-gains-who-loses/,
    );
  });

  test('is the state in the file: what was wrong already is not said again', async () => {
    expect(await judged(exported([mount, unboundRole, policy]), [mount, unboundRole, policy])).toEqual([]);
  });

  test.each([
    [
      'another stack’s',
      { version: 3, deployment: { resources: [{ urn: 'urn:pulumi:dev::login::a:b:C::d', type: 'a' }] } },
    ],
    ['no exported stack', { steps: [] }],
  ])('stops the deployment when it is %s', async (_, file) => {
    await expect(judged(file, [mount])).rejects.toThrow(/another stack|not an exported stack/);
  });

  test('stops the deployment when the file is not there', async () => {
    await pack().configure({ 'cannot-be-judged': { properties: { before: join(scratch, 'nowhere.json') } } });
    await expect(pack().judge([mount])).rejects.toThrow(/cannot be read/);
  });

  test('of an interrupted deployment cannot be relied on', async () => {
    const file = { version: 3, deployment: { resources: [], pending_operations: [{}] } };
    expect(await judged(file, [])).toMatchObject([{ policy: 'cannot-be-judged', level: MANDATORY }]);
  });

  test('may have had another name', async () => {
    const renamed = { ...role(), urn: urnOf(types.role, 'builder'), aliases: [role().urn] };
    expect(await judged(exported([mount, role(), policy]), [mount, renamed, policy])).toEqual([]);
  });

  test('is gone where nothing is shown of it any more', async () => {
    const found = await judged(exported([mount, role(), policy]), [mount, policy]);
    expect(found.map(({ message }) => message).join()).toMatch(
      /role ci\/build.*\n.*loses: default, read\n.*→ –/,
    );
  });

  test('is known to be another when what stays has other values', async () => {
    const stale = {
      ...policy,
      outputs: { ...policy.outputs, policy: 'path "a" { capabilities = ["read"] }' },
    };
    const found = await judged(exported([mount, role(), stale]), [mount, role(), policy]);
    expect(found).toMatchObject([{ policy: 'cannot-be-judged', level: MANDATORY }]);
    expect(found[0]?.message).toContain('This run did not start from the given state');
  });

  test('of what is only read is what it is now', async () => {
    const { inputs: _, ...read } = policy;
    expect(await judged(exported([mount, role()]), [mount, role(), read])).toEqual([]);
  });

  test('stays where it is retained, or only read', async () => {
    const before = exported([mount, role(), policy], {
      [role().urn]: { retainOnDelete: true },
      [policy.urn]: { external: true },
    });
    expect(await judged(before, [mount])).toEqual([]);
  });
});

describe('a value that is not known', () => {
  const before = exported([mount, role(), policy]);

  test.each([...unknownTexts].map(String))('cannot be judged, whatever its type: %s', async (text) => {
    const found = await judged(before, [mount, role({ boundClaims: text }), policy]);
    expect(found).toContainEqual(expect.objectContaining({ policy: 'cannot-be-judged', level: MANDATORY }));
    expect(found.map(({ message }) => message).join()).toMatch(/boundClaims of role ci\/build/);
  });

  test('within a map, too', async () => {
    const found = await judged(before, [mount, role({ boundClaims: { project_path: unknown } }), policy]);
    expect(rulesOf(found)).toContain('cannot-be-judged');
  });

  test('is followed to what it refers to', async () => {
    const created = (one: SentResource): SentResource => ({
      ...one,
      outputs: { ...one.inputs, id: unknown },
    });
    const group = created(
      resource(types.group, 'admins', { name: 'admins', type: 'external', policies: ['read'] }),
    );
    const alias = created(
      resource(types.alias, 'admins', { name: 'a', mountAccessor: unknown, canonicalId: unknown }),
    );
    alias.propertyDependencies = { mountAccessor: [mount.urn], canonicalId: [group.urn] };
    const reads = role({ groupsClaim: 'groups' });
    const found = await judged(exported([mount, reads, policy]), [mount, reads, policy, group, alias]);
    expect(rulesOf(found)).not.toContain('cannot-be-judged');
    expect(found.map(({ message }) => message).join()).toMatch(/group admins: people in "a"/);
  });
});

describe('a replacement', () => {
  const before = exported([mount, role(), policy]);
  const anew: SentResource = {
    ...role({ tokenPolicies: [] }),
    outputs: { ...roleInputs, id: unknown },
  };

  test('in an unknown order is undecided', async () => {
    expect(rulesOf(await judged(before, [mount, anew, policy]))).toContain('cannot-be-judged');
  });

  test('of a mount takes what hangs on it along', async () => {
    const remounted = { ...mount, inputs: { ...mount.inputs, local: true } };
    const unknownAccessor = { ...remounted, outputs: { ...remounted.inputs, accessor: unknown } };
    expect(rulesOf(await judged(before, [unknownAccessor, role(), policy]))).toContain('mount-lost');
  });

  test('that is applied is told by another id', async () => {
    const groupWith = (id: string) =>
      resource(types.group, 'admins', { name: 'admins', type: 'external', policies: ['read'] }, id);
    const found = await judged(exported([mount, role(), policy, groupWith('1')]), [
      mount,
      role(),
      policy,
      groupWith('2'),
    ]);
    expect(rulesOf(found)).toContain('cannot-be-judged');
  });

  test('that deletes first is judged', async () => {
    const found = await judged(before, [mount, { ...anew, deleteBeforeReplace: true }, policy]);
    expect(rulesOf(found)).not.toContain('cannot-be-judged');
    expect(rulesOf(found)).toEqual(['who-gains-who-loses']);
  });
});

describe('secrets', () => {
  const hidden = (value: unknown) => role({ boundClaims: secret(value) });
  const cipher = { ...secret(undefined), ciphertext: 'v1:abc' };
  const { value: _, ...encrypted } = cipher;

  test('are compared where both are shown, and never said', async () => {
    const found = await judged(exported([mount, hidden({ team: 'hush-one' }), policy]), [
      mount,
      hidden({ team: 'hush-two' }),
      policy,
    ]);
    expect(rulesOf(found)).toContain('cannot-be-judged');
    expect(JSON.stringify(found)).not.toContain('hush');
  });

  test('that are the same change nothing', async () => {
    const one = hidden({ team: 'hush' });
    expect(await judged(exported([mount, one, policy]), [mount, one, policy])).toEqual([]);
  });

  test('that are encrypted in the state before cannot be compared', async () => {
    const state = exported([mount, role({ boundClaims: encrypted }), policy]);
    const found = await judged(state, [mount, hidden({ team: 'hush' }), policy]);
    expect(rulesOf(found)).toContain('cannot-be-judged');
    expect(JSON.stringify(found)).not.toContain('hush');
  });

  test('of a client: another one is said, and one that is encrypted in the state before is named', async () => {
    const with_ = (oidcClientSecret: unknown): SentResource => ({
      ...mount,
      inputs: { ...mount.inputs, oidcClientSecret },
    });
    const after = [with_(secret('hush-new'))];
    const rotated = await judged(exported([with_(secret('hush-old'))]), after);
    const unsure = await judged(exported([with_(encrypted)]), after);
    expect([rotated, unsure].map(rulesOf)).toEqual([['secret-rotated'], ['secret-rotated']]);
    expect(unsure[0]?.message).toMatch(
      /Not checked: whether client secrets change\. Encrypted in the state before: 1/,
    );
    expect(JSON.stringify([rotated, unsure])).not.toContain('hush');
  });
});

describe('a level', () => {
  const before = exported([mount, policy]);
  const after = [mount, role(), policy];

  test('that is disabled silences its policy alone', async () => {
    const all = rulesOf(await judged(before, after));
    const [first = ''] = all;
    expect(rulesOf(await judged(before, after, { [first]: { level: DISABLED } }))).toEqual(all.slice(1));
  });

  test('that is mandatory stops for what is info otherwise', async () => {
    const found = await judged(before, after, { 'who-gains-who-loses': { level: MANDATORY } });
    expect(found).toContainEqual(
      expect.objectContaining({ policy: 'who-gains-who-loses', level: MANDATORY }),
    );
  });

  test('of an error that is advisory stops nothing', async () => {
    const found = await judged(
      exported([mount, role(), policy]),
      [mount, role({ boundClaims: unknown }), policy],
      {
        'cannot-be-judged': { level: ADVISORY },
      },
    );
    expect(found.filter(({ level }) => level === MANDATORY)).toEqual([]);
  });
});

describe('what others make', () => {
  test('is not looked into: assets, foreign types, components', async () => {
    const foreign = resource('aws:s3/bucketObject:BucketObject', 'page', {
      source: { '4dabf18193072939515e22adb298388d': 'c44067f5952c0a294b673a41bacd8c17', text: 'x' },
    });
    const component: SentResource = {
      urn: urnOf('my:index:Thing', 'x'),
      type: 'my:index:Thing',
      inputs: {},
      outputs: {},
    };
    expect(await judged(exported([mount]), [mount, foreign, component])).toEqual([]);
  });

  test('of the same package is named when it changes', async () => {
    const own = resource('vault:index/plugin:Plugin', 'own', { name: 'own' });
    expect(await judged(exported([mount]), [mount, own])).toMatchObject([{ policy: 'cannot-be-judged' }]);
  });
});

test('names cannot write on a terminal, nor on the objects of this program', async () => {
  const evil = role({ roleName: '\u001b[2Jbuild\u0007\u202e' });
  const inputs = { ...evil.inputs, boundClaims: JSON.parse('{"__proto__": "x", "constructor": "y"}') };
  const found = await judged(exported([mount, policy]), [mount, { ...evil, inputs }, policy]);
  expect(found.map(({ message }) => message).join('')).toContain('U+202E');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: looks for them
  expect(found.map(({ message }) => message).join('')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test('what a stack of Gatehouse’s own turns off is off, and what cannot be read of it is named', async () => {
  const after = [mount, unboundRole, policy];
  const service = { 'gatehouse:service': '{"address":"https://secrets.example.com"}' };
  const off = '{"disabled":{"jwt-role-without-audience":"tokens of this issuer carry none"}}';
  const judge = async (rules: string) => {
    await pack().configureStack('prod', {
      ...service,
      'gatehouse:providers': '[]',
      'gatehouse:rules': rules,
    });
    return judged(exported([mount, policy]), after);
  };
  expect(rulesOf(await judge(off))).not.toContain('jwt-role-without-audience');
  const found = await judge('{"disabled":{"no-such-rule":"why"}}');
  await pack().configureStack('prod', {});
  expect(rulesOf(found)).toContain('jwt-role-without-audience');
  expect(found.map(({ message }) => message).join()).toMatch(/its rules cannot be read/);
});
