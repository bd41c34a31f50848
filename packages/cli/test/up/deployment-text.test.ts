import { describe, expect, test } from '@jest/globals';
import type { Diagnostic } from '../../../engine/src/engine.ts';
import { Secret, Unknown } from '../../../engine/src/property-value.ts';
import { styleFor } from '../../src/terminal/style.ts';
import { deploymentText, diagnosticsText } from '../../src/up/deployment-text.ts';
import { policyType, resource, result, roleType, rootUrn, step, update } from '../fake-engine.ts';

const plain = styleFor({ isTTY: false }, {});
type Shown = Parameters<typeof deploymentText>[0];
/** The text of a plan of `up`, unless said otherwise. */
const shown = (deployment: Shown['deployment'], fields: Partial<Shown> = {}, verbose = false) =>
  deploymentText(
    { verb: 'up', outcome: 'succeeded', applied: false, deployment, ...fields },
    { style: plain, verbose },
  );
const method = resource('gatehouse:index:AuthMethod', 'staff', { custom: false });
const policy = (path: string) => `# reads\npath "${path}" {\n  capabilities = ["read"]\n}\n`;

const reader = update(
  roleType,
  'staff-reader',
  { roleName: 'reader', roleType: 'jwt', tokenPolicies: ['a', 'b'], tokenTtl: 3600, key: new Secret('hush') },
  { roleName: 'reader', roleType: 'jwt', tokenPolicies: ['a', 'c'], tokenTtl: 900, key: new Secret('hush2') },
);
for (const state of [reader.oldState, reader.newState]) if (state) state.parent = method.urn;

const steps = [
  step('same', method),
  reader,
  step('create', resource(policyType, 'new', { inputs: { name: 'new', policy: policy('a') } })),
  update(policyType, 'old', { policy: policy('a') }, { policy: policy('b') }),
  step('replace', resource(roleType, 'ci', { inputs: { roleType: 'jwt' } }), {
    newState: resource(roleType, 'ci', { inputs: { roleType: 'oidc' } }),
    replaceKeys: ['roleType'],
  }),
  step('delete', resource(roleType, 'gone')),
];

describe('deploymentText', () => {
  test('shows a plan: resources under their parents, property by property, a summary, the outputs', () => {
    const deployment = result(steps, {
      outputs: { mounts: { staff: Unknown.value }, token: new Secret('hush') },
    });
    expect(shown(deployment)).toBe(
      `     AuthMethod staff
     ~  role reader
          key: [secret] → [secret]
          policies:
            - "b"
            + "c"
          ttl: 1h → 15m
  +  policy new
       name: "new"
       text: |
         # reads
         path "a" {
           capabilities = ["read"]
         }
  ~  Policy old
       text:
           # reads
         - path "a" {
         + path "b" {
             capabilities = ["read"]
           }
  +- AuthBackendRole ci
       roleType: "jwt" → "oidc"  (forces a replacement)
  -  AuthBackendRole gone

Plan after 1.2 s: 1 to create, 2 to update, 1 to replace, 1 to delete; 1 unchanged

Outputs:
  mounts: { staff: output<string> }
  token: [secret]
`,
    );
  });

  test.each([
    ['succeeded', true, 'Done in 1.2 s: 1 created, 2 updated, 1 replaced, 1 deleted; 1 unchanged'],
    ['failed', true, 'Failed after 1.2 s: 1 created, 2 updated, 1 replaced, 1 deleted; 1 unchanged'],
    ['failed', false, 'No plan after 1.2 s.'],
  ] as const)('sums up a deployment that %s (applied: %s)', (outcome, applied, line) => {
    const text = shown(result(steps), { outcome, applied });
    expect(text).toContain(line);
  });

  test('does not say of what failed that it was done', () => {
    const partly = [
      step('create', resource(policyType, 'a')),
      step('create', resource(policyType, 'b'), { failed: true }),
    ];
    expect(shown(result(partly, { succeeded: false }), { outcome: 'failed', applied: true })).toBe(
      '  +  Policy a\n  +  Policy b  failed\n\nFailed after 1.2 s: 1 created, 1 failed; 0 unchanged\n',
    );
  });

  test('says of a refresh what it found', () => {
    const [from, to] = [1, 2].map((ttl) => resource(roleType, 'ci', { outputs: { ttl } }));
    const refreshed = [
      step('refresh', from!, { newState: to }),
      step('refresh', resource(roleType, 'gone'), { newState: undefined }),
      step('refresh', resource(roleType, 'same')),
    ];
    const deployment = result(refreshed);
    const text = shown(deployment, { verb: 'refresh', applied: true });
    expect(text).toContain('Done in 1.2 s: 1 found changed, 1 found gone; 1 unchanged');
  });

  test('says that nothing changes', () => {
    const deployment = result([step('same', method)]);
    expect(shown(deployment)).toBe('Plan after 1.2 s: no changes; 1 unchanged\n');
  });

  test('once applied, leaves out the inputs of what was created', () => {
    const deployment = result([step('create', resource(policyType, 'new', { inputs: { name: 'new' } }))]);
    expect(shown(deployment, { applied: true })).toBe(
      '  +  policy new\n\nDone in 1.2 s: 1 created; 0 unchanged\n',
    );
  });

  test('shows no outputs of a stack that is deleted', () => {
    const stack = resource('pulumi:pulumi:Stack', 'gatehouse-dev', {
      urn: rootUrn,
      custom: false,
      parent: undefined,
    });
    const deployment = result([step('delete', stack)], { outputs: { address: 'http://127.0.0.1' } });
    const text = shown(deployment, { applied: true });
    expect(text).not.toContain('Outputs');
  });

  test('shows URNs when asked to', () => {
    const deployment = result([step('delete', resource(roleType, 'gone'))]);
    const text = shown(deployment, {}, true);
    expect(text).toContain(`urn:pulumi:dev::gatehouse::${roleType}::gone`);
  });
});

describe('diagnosticsText', () => {
  const diagnostics: Diagnostic[] = [
    { severity: 'error', message: 'permission denied', urn: 'urn:x', code: 'permission_denied' },
    { severity: 'debug', message: 'noise' },
    { severity: 'info', message: 'from the program\n' },
    { severity: 'warning', message: 'look out' },
  ];

  test('says errors last, with their resource, and no debug lines', () => {
    expect(diagnosticsText(diagnostics, plain, false)).toBe(
      'from the program\nwarning: look out\nerror: permission denied\n  urn:x\n  (permission_denied)\n',
    );
  });

  test('lets no message write on the terminal where it likes', () => {
    const hostile: Diagnostic[] = [{ severity: 'info', message: '\u001b[31mred\u001b[2J\u009b2J\ttab' }];
    expect(diagnosticsText(hostile, plain, false)).toBe('red[2J2J\ttab\n');
  });

  test('says debug lines when asked to', () => {
    expect(diagnosticsText(diagnostics, plain, true)).toContain('noise');
  });
});

describe('styleFor', () => {
  test.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a pipe', { isTTY: false }, {}, false],
    ['NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
  ])('for %s', (_, stream, env, colored) => {
    expect(styleFor(stream, env).added('x') !== 'x').toBe(colored);
  });
});
