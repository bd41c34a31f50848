// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the parameters of templates.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { processorMs } from '../../../../test/harness/processor-time.ts';
import { environmentSchema, parseEnvironment } from '../../src/environment/environment.ts';
import { expandTemplates } from '../../src/environment/environment-templates.ts';
import { contributed } from '../../src/environment/template-parameters.ts';
import { parsePolicy } from '../../src/graph/policies/parse-policy.ts';
import { givenEnvironment, givenProvider, problemsOf } from './environment-fixture.ts';

const rule = (path: string) => `path "secret/data/${path}/*" { capabilities = ["read"] }`;
const team = {
  parameters: { name: 'text', admins: 'text' },
  policies: [{ name: '${name}-read', policy: `# Of \${name}\n${rule('${name}')}` }],
  groups: [{ name: '${name}', members: ['${name}-admins'], policies: ['${name}-read'] }],
  promises: [
    { only: ['group ${name}'], can: ['read'], on: 'secret/data/${name}/*', because: 'it is theirs' },
  ],
  addTo: [
    {
      provider: 'it',
      roles: [{ name: '${name}', policies: ['${name}-read'], boundClaims: { team: '${name}' }, ttl: '1h' }],
      groups: [{ name: '${name}-admins', alias: '${admins}', policies: ['${name}-read'] }],
    },
  ],
};
const use = (name: string, admins = `/${name}-admins`) => ({ template: 'team', with: { name, admins } });
/** What a person writes without the template. */
const written = (name: string, admins = `/${name}-admins`) =>
  JSON.parse(JSON.stringify(team).replaceAll('${name}', name).replaceAll('${admins}', admins));
const git = (settings = {}) => givenProvider('source_hosting', { roles: [], ...settings });
const given = (keys: Record<string, unknown> = {}, templates: Record<string, unknown> = { team }) =>
  givenEnvironment([git()], { templates, ...keys });
/** One template with one policy, used once. */
const single = (body: Record<string, unknown>, values: Record<string, unknown> = { name: 'shop' }) =>
  given({ use: [{ template: 'one', with: values }] }, { one: { parameters: { name: 'text' }, ...body } });
const policy = (fields: Record<string, unknown> = {}) => ({ name: '${name}', policy: rule('a'), ...fields });
const at = 'gatehouse:templates.one';

describe('an environment with templates', () => {
  test('is the one that a person writes without them', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 5 }), fc.boolean(), (names, hasOwn) => {
        const own = hasOwn ? { policies: [{ name: 'own-policy', policy: rule('own') }] } : {};
        const teams = names.map((one) => written(one));
        const of = (part: string) => teams.flatMap((one) => one[part]);
        const added = (part: string) => teams.flatMap(({ addTo }) => addTo[0][part]);
        const byHand = givenEnvironment([git({ roles: added('roles'), groups: added('groups') })], {
          policies: [...(own.policies ?? []), ...of('policies')],
          groups: of('groups'),
          promises: of('promises'),
        });
        expect(parseEnvironment(given({ ...own, use: names.map((one) => use(one)) }))).toEqual(
          parseEnvironment(byHand),
        );
      }),
    );
  });

  test('is left as it was given', () => {
    const before = given({ use: [use('shop'), use('pay')], policies: [] });
    const copy = structuredClone(before);
    parseEnvironment(before);
    expect(before).toEqual(copy);
  });

  test('has roles and groups added to a provider that a template makes, and its secret by name', () => {
    const pair = {
      parameters: { name: 'text' },
      providers: [git({ name: '${name}', roles: [{ name: 'first' }] })],
      addTo: [{ provider: '${name}', roles: [{ name: 'second' }] }],
    };
    const environment = { templates: { pair }, use: [{ template: 'pair', with: { name: 'shop' } }] };
    const [, provider] = parseEnvironment(
      givenEnvironment([git()], { clientSecrets: ['it', 'shop'], ...environment }),
    ).providers;
    expect(provider?.roles.map(({ name }) => name)).toEqual(['first', 'second']);
    expect(problemsOf(givenEnvironment([git()], { clientSecrets: ['it'], ...environment }))).toEqual([
      'gatehouse:clientSecrets.shop: the client secret is missing; set it with: gatehouse secret set clientSecrets.shop',
    ]);
  });

  test('takes a parameter in a field that only the role of one kind has', () => {
    const roles = [{ name: 'web', namespace: '${name}', serviceAccount: 'web' }];
    const [, cluster] = parseEnvironment(
      single({ providers: [givenProvider('container_orchestrator', { name: 'cluster', roles })] }),
    ).providers;
    expect(cluster?.roles).toMatchObject([{ namespace: 'shop' }]);
  });

  test('takes a parameter that is named like what every object has', () => {
    const templates = {
      one: { parameters: { constructor: 'text' }, policies: [policy({ name: '${constructor}' })] },
    };
    const { policies } = parseEnvironment(
      given({ use: [{ template: 'one', with: { constructor: 'shop' } }] }, templates),
    );
    expect(policies.map(({ name }) => name)).toEqual(['shop']);
  });

  test('does not look into values again, nor into what stands outside of templates', () => {
    const body = {
      parameters: { name: 'text', other: 'text' },
      policies: [policy({ name: '${name}${other}' })],
    };
    const messages = [{ title: 'Price: ${name}', message: 'x', startTime: '2026-12-01T00:00:00Z' }];
    const uses = [{ template: 'one', with: { name: '$', other: 'shop' } }];
    const environment = parseEnvironment(given({ use: uses, messages }, { one: body }));
    expect(environment.policies.map(({ name }) => name)).toEqual(['$shop']);
    expect(environment.messages.map(({ title }) => title)).toEqual(['Price: ${name}']);
  });

  test('is read in a second with 1,000 uses', async () => {
    const uses = Array.from({ length: 1_000 }, (_, index) => use(`team${index}`));
    const took = await processorMs(() =>
      expect(parseEnvironment(given({ use: uses })).policies).toHaveLength(1_000),
    );
    expect(took).toBeLessThan(5_000);
  });
});

describe('a template is refused', () => {
  const refused: [what: string, given: Record<string, unknown>, problems: string[]][] = [
    [
      'with what looks like a parameter and is none',
      single({ policies: [policy({ policy: `${rule('${nme}')} # $\${name} ${'${'}name` })] }),
      [
        `${at}.policies[0].policy: \`\${nme}\` is no parameter of the template one; did you mean \`name\`?`,
        `${at}.policies[0].policy: \`$\${name}\` is no parameter of the template one; did you mean \`name\`?`,
        `${at}.policies[0].policy: \`\${name\` is no parameter of the template one; did you mean \`name\`?`,
      ],
    ],
    [
      'with a parameter in a key, or in a field that takes none',
      single({
        policies: [policy({ file: '${name}.hcl', until: { 'secret/data/${name}/*': '2030-01-01' } })],
      }),
      [
        `${at}.policies[0].file: this field takes no parameters; docs/templates.md lists those that do`,
        `${at}.policies[0].until.secret/data/\${name}/*: a key takes no parameters`,
      ],
    ],
    [
      'with a parameter of a policy outside of its texts and comments',
      single({ policies: [policy({ policy: 'path "a" { capabilities = [${name}] }' })] }),
      [`${at}.policies[0].policy: in a policy, a parameter stands in a quoted text or a comment`],
    ],
    [
      'with a parameter that no field uses, and names that are none',
      given({}, { '1': {}, one: { parameters: { name: 'text', 'a.b': 'text' } } }),
      [
        'gatehouse:templates.1: the name of a template or a parameter has letters, digits, `_` and `-`, and begins with a letter',
        `${at}.parameters.a.b: the name of a template or a parameter has letters, digits, \`_\` and \`-\`, and begins with a letter`,
        `${at}.parameters.name: no field of the template uses this parameter`,
      ],
    ],
    [
      'that uses one, or has a secret or another type',
      given({}, { one: { use: [{ template: 'one' }], clientSecrets: {}, parameters: { name: 'list' } } }),
      [
        `${at}.parameters.name: the type of a parameter is \`text\``,
        `${at}.use: a template uses no other template`,
        `${at}: unknown key \`clientSecrets\`; secrets have their own key: gatehouse:clientSecrets, gatehouse:serviceAccountKeys, gatehouse:runTaskKeys`,
      ],
    ],
    [
      'that nothing uses, for its shape',
      given(
        {},
        {
          one: {
            parameters: { name: 'text' },
            providers: [{ ...git({ name: '${name}' }), polices: [] }],
            policies: [{ name: '${name}' }],
            addTo: [
              { provider: 'itt' },
              { provider: '${name}', groups: [{ name: '${name}', nme: 'x' }] },
              { provider: 'it', roles: [{ name: 'x', ttl: true }] },
            ],
          },
        },
      ),
      [
        `${at}.addTo[0].provider: no provider is named "itt"; did you mean \`it\`?`,
        `${at}.providers[0]: unknown key \`polices\``,
        `${at}.addTo[1].groups[0]: unknown key \`nme\`; did you mean \`name\`?`,
        `${at}.addTo[2].roles[0].ttl: not a duration: true; allowed: a whole number of seconds (3600), or days, hours, minutes, seconds in that order (1h, 90m, 1h30m)`,
        `${at}.policies[0]: give exactly one of policy (the text) and file (a .hcl file)`,
      ],
    ],
  ];
  test.each(refused)('%s', (_, environment, problems) => {
    const found = problemsOf(environment);
    expect(found).toHaveLength(problems.length);
    expect(found).toEqual(expect.arrayContaining(problems));
  });

  test('named __proto__, as a parameter or a value, too', () => {
    const named = JSON.parse('{"__proto__": {"policies": []}}');
    expect(problemsOf(given({}, named))[0]).toMatch(/^gatehouse:templates.__proto__: the name of a template/);
    const parameters = JSON.parse('{"__proto__": "text"}');
    expect(problemsOf(given({}, { one: { parameters } }))[0]).toMatch(/__proto__: the name of a template/);
    const values = JSON.parse('{"name": "shop", "admins": "/a", "__proto__": "x"}');
    expect(problemsOf(given({ use: [{ template: 'team', with: values }] }))).toEqual([
      'gatehouse:use[0].with.__proto__: the template team has no parameter `__proto__`',
    ]);
    expect(problemsOf(given({ use: [{ template: '__proto__' }] }))).toEqual([
      'gatehouse:use[0].template: no template is named "__proto__"',
    ]);
  });

  test('that lies too deep in itself, by one error', () => {
    let deep: unknown = '${name}';
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep];
    expect(() => parseEnvironment(given({}, { one: { policies: [{ name: deep }] } }))).toThrow(/too deep/);
  });
});

describe('a use is refused', () => {
  test.each<[string, unknown, string[]]>([
    [
      'of an unknown template',
      { template: 'tem' },
      ['[0].template: no template is named "tem"; did you mean `team`?'],
    ],
    [
      'without a value, or with one of no parameter',
      { template: 'team', with: { nme: 'x', admins: '/a' } },
      [
        '[0].with.nme: the template team has no parameter `nme`; did you mean `name`?',
        '[0].with.name: the template team needs a value for this parameter',
      ],
    ],
    [
      'without any value',
      { template: 'team' },
      [
        '[0].with.name: the template team needs a value for this parameter',
        '[0].with.admins: the template team needs a value for this parameter',
      ],
    ],
    [
      'with a value that is no text',
      { template: 'team', with: { name: 5, admins: '/a' } },
      ['[0].with.name: must be text, not a number'],
    ],
    ['with an unknown key', { template: 'team', wth: {} }, ['[0]: unknown key `wth`; did you mean `with`?']],
    ['that is no map', null, ['[0]: must be a map, not null']],
  ])('%s', (_, one, problems) => {
    expect(problemsOf(given({ use: [one] }))).toEqual(problems.map((text) => `gatehouse:use${text}`));
  });

  test.each([
    '',
    ' ',
    ' shop',
    'shop ',
    '\n',
    'a\nb',
    'a\u2028b',
    'a\u0000',
    'a\u202eb',
    '${name}',
    '{{identity.entity.name}}',
  ])('with %j for a value, wherever it stands', (value) => {
    for (const fields of [policy(), policy({ name: 'a', policy: rule('${name}') })]) {
      expect(problemsOf(single({ policies: [fields] }, { name: value }))).toEqual([
        expect.stringMatching(/^gatehouse:use\[0\]\.with\.name: (?:is empty|holds )/),
      ]);
    }
    const messages = [{ title: 'x', message: '${name}', startTime: '2026-12-01T00:00:00Z' }];
    expect(problemsOf(single({ messages }, { name: value }))).toHaveLength(1);
  });

  const places: [string, Record<string, unknown>][] = [
    ['policies[0].policy', { policies: [policy({ name: 'a', policy: rule('${name}') })] }],
    [
      'policies[0].policy',
      {
        policies: [
          policy({
            name: 'a',
            policy: JSON.stringify({ path: { 'secret/${name}/*': { capabilities: ['read'] } } }),
          }),
        ],
      },
    ],
    ['policies[0].name', { policies: [policy()] }],
    [
      'addTo[0].roles[0].boundClaims.alias',
      {
        addTo: [
          {
            provider: 'it',
            roles: [{ name: 'x', boundClaims: { alias: '${name}' }, boundClaimsType: 'glob' }],
          },
        ],
      },
    ],
    [
      'addTo[0].groups[0].metadata.description',
      { addTo: [{ provider: 'it', groups: [{ name: 'x', metadata: { description: '${name}' } }] }] },
    ],
    ['promises[0].on', { promises: [{ never: ['anyone'], can: ['read'], on: 'a/${name}', because: 'x' }] }],
  ];
  test.each(places)('with a character that means something else in %s', (place, body) => {
    for (const character of ['"', '\\', '*', '+', '{', '}', ',']) {
      expect(problemsOf(single(body, { name: `a${character}b` }))).toEqual([
        `gatehouse:use[0].with.name: holds \`${character}\`, which would mean something else than itself in ${at}.${place}`,
      ]);
    }
  });

  test('with a value that would move a promise to another auth method', () => {
    const promises = [{ never: ['role ${name}'], can: ['read'], on: 'a', because: 'x' }];
    expect(problemsOf(single({ promises }, { name: 'web of cluster' }))).toEqual([
      `gatehouse:use[0].with.name: holds \` of \`, which would mean something else than itself in ${at}.promises[0].never[0]`,
    ]);
  });

  test('or means itself in a policy: one rule, for the path with the value', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.string({ unit: fc.constantFrom(...'"\\*+{}[]=#/\n\r $a.%<>'), maxLength: 6 }),
    );
    const isolated = policy({ name: 'a', policy: `# ${'${name}'}\n${rule('${name}')} /* ${'${name}'} */` });
    fc.assert(
      fc.property(text, (value) => {
        const environment = single({ policies: [isolated] }, { name: value });
        if (problemsOf(environment).length > 0) return;
        const [one] = parseEnvironment(environment).policies;
        expect(parsePolicy(one?.policy ?? '')).toMatchObject([{ path: `secret/data/${value}/*` }]);
      }),
      { numRuns: 500 },
    );
  });

  test('takes such characters in what is read as it is', () => {
    const groups = [{ name: 'x', alias: '${name}' }];
    const { providers } = parseEnvironment(
      single({ addTo: [{ provider: 'it', groups }] }, { name: 'CN=a,OU="b+c"' }),
    );
    expect(providers[0]?.groups[0]?.alias).toBe('CN=a,OU="b+c"');
  });

  test.each([
    ['entries', 'x', 20_000, 1_000],
    ['values', 'x'.repeat(200_000), 100, 1],
  ])('with the others, where they come to more text than fits: by %s', (_, name, entries, count) => {
    const policies = Array.from({ length: entries }, () => ({ name: '${name}' }));
    const templates = { one: { parameters: { name: 'text' }, policies } };
    const uses = Array.from({ length: count }, () => ({ template: 'one', with: { name } }));
    expect(problemsOf(given({ use: uses }, templates))).toEqual([
      'gatehouse:use: the uses come to more than 16 MiB; make several stacks of them',
    ]);
  });

  test('with the name that another use gives, by both uses', () => {
    expect(problemsOf(given({ use: [use('shop'), use('pay'), use('shop', '/other')] }))).toContain(
      'gatehouse:templates.team.policies[0].name, for gatehouse:use[2]: the policy "shop-read" is declared twice; first at templates.team.policies[0].name, for gatehouse:use[0]',
    );
  });

  test('with a name that the environment itself has', () => {
    const policies = [{ name: 'Shop-Read', policy: rule('a') }];
    expect(problemsOf(given({ use: [use('shop')], policies }))).toEqual([
      'gatehouse:templates.team.policies[0].name, for gatehouse:use[0]: the policy "shop-read" is declared twice; first at policies[0].name',
    ]);
  });

  test('with a value that its field does not take, at the field of the template', () => {
    const uses = ['a b', 'c d', 'e f', 'g h', 'i j'].map((name) => use(name));
    expect(problemsOf(given({ use: uses }))).toContain(
      'gatehouse:templates.team.addTo[0].roles[0].name, for gatehouse:use[0], gatehouse:use[1], gatehouse:use[2] and 2 more: a role name has letters, digits, `_`, `-` and `.` only, and neither begins nor ends with `-` or `.`',
    );
    const root = problemsOf(
      single(
        { addTo: [{ provider: 'it', roles: [{ name: 'x', policies: ['${name}'] }] }] },
        { name: 'Root' },
      ),
    );
    expect(root).toEqual([
      `${at}.addTo[0].roles[0].policies, for gatehouse:use[0]: the policy root cannot be given to a role or a group`,
    ]);
  });
});

test('every list that a template contributes to is one of the environment', () => {
  for (const list of Object.keys(contributed)) {
    const templates = { one: { [list]: [{ name: 'made' }] } };
    const { keys } = expandTemplates({ templates, use: [{ template: 'one' }] });
    expect(keys).toEqual({ [list]: [{ name: 'made' }] });
    expect(Object.keys(environmentSchema.shape)).toContain(list);
  }
});
