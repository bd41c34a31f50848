import { describe, expect, test } from '@jest/globals';
import { randomFrom } from '../../../../test/harness/random-policies.ts';
import type { Principals } from '../../src/access/access-change.ts';
import { principalsOf } from '../../src/access/principals.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import type { Graph, Identity } from '../../src/graph/graph.ts';
import { giverWords } from '../../src/words/giver-words.ts';
import { reasonWords } from '../../src/words/reason-words.ts';
import { graphOf, now } from '../review/graphs.ts';
import { change, graph } from '../worlds.ts';

const rounds = Number(process.env['ROUNDS'] ?? 1_000);
const seed = Number(process.env['SEED'] ?? 20_261_122);

test(`groups in groups, in circles too, give what a plain closure says, seed ${seed}`, () => {
  const next = randomFrom(seed);
  for (let round = 0; round < rounds; round++) {
    const size = 2 + next(8);
    const named = () => ({ kind: 'group' as const, name: `${next(2) === 0 ? 'g' : 'G'}${next(size)}` });
    const nested: Identity[] = Array.from({ length: size + next(4) }, (_, at) => ({
      ...named(),
      policies: next(3) === 0 ? [] : [`p${at}`],
      members: Array.from({ length: next(4) }, named),
    }));
    const groups = next(2) === 0 ? [] : [{ name: 'g0', policies: ['external'] }];
    const given = graphOf({ groups, identities: nested });
    const { identities } = principalsOf({ before: given, after: given });
    const policiesOf = (name: string) =>
      identities.find((one) => one.name.toLowerCase() === name)?.after ?? [];
    for (let at = 0; at < size; at++) {
      const reached = new Set([`g${at}`]);
      // As many rounds as there are groups are enough.
      for (let step = 0; step < size; step++) {
        for (const { name, members = [] } of nested) {
          if (members.some((member) => reached.has(member.name.toLowerCase())))
            reached.add(name.toLowerCase());
        }
      }
      const expected = [...nested, ...groups].flatMap(({ name, policies }) =>
        reached.has(name.toLowerCase()) ? policies : [],
      );
      expect({ round, at, policies: policiesOf(`g${at}`) }).toEqual({
        round,
        at,
        policies: expected.sort(),
      });
    }
  }
});

describe('what else gives access', () => {
  const wordsOf = (text: string, rest: object = {}) => {
    const policies = 'policy p: a read\n policy q: a read,update';
    const asked = { ...change(`${text.includes('policy p:') ? '' : policies}\n ${text}`), ...rest };
    const { gains, losses, life, changes, unseen } = decideAccess(asked, now);
    const all = changes.map(({ kind, principals, uncertain, ...one }) =>
      [kind, principals.name, `${one.gains}/${one.losses}`, ...uncertain.map(reasonWords)].join(' '),
    );
    return [
      `${gains}/${losses}${life === 'same' ? '' : ` ${life}`}`,
      ...all,
      ...unseen.map(reasonWords),
    ].join('; ');
  };

  test.each([
    ['may be elsewhere', ''],
    ['are all here', 'complete roles:ci'],
  ])('the only role, which reads no groups, gives and takes no groups where roles %s', (_, complete) => {
    const rest = `method ci\n group g q\n alias a ci g\n ${complete}`;
    expect(wordsOf(`- role r p\n ${rest}`)).toBe('none/some; closed r none/some');
    expect(wordsOf(`+ role r p\n ${rest}`)).toBe('some/none; opened r some/none');
  });

  const asEntity = 'entity-alias bob ci e';
  const ofBob = 'alias bob of ci for entity e';
  const ofBobAfter = 'alias bob of ci for entity f';
  const ofDirectory = 'alias a of ldap for group h';
  const inCi = 'role app of ci (approle)';
  const led = 'group g p\n alias a ci g';
  const reads = '~ role r p groupsClaim: groups → groupsClaim: null';
  const shut = 'group g shut\n alias a ci g\n policy shut: b deny\n complete aliases';
  const grants = (of: string) => `other grants of ${of}`;
  const elsewhere = (of: string) => `groups, policies and second factors elsewhere of ${of}`;
  const ofAlias = grants('alias ci/a (group g)');
  const ann = `${grants('entity ann')}; ${elsewhere('group team')}`;
  const cases: Record<string, [change: string, wanted: string]> = {
    nothing: ['', 'none/none'],
    'the same': ['made-token app p', 'none/none'],
    'another life of its tokens': [
      '~ made-token app p → lifetime: {ttl: 1}',
      'none/none longer; changed token "app" none/none',
    ],
    'more by one that is a role by itself': [
      'role r no\n policy no: a deny\n ~ approle ci/app p → q',
      `some/none; changed ${inCi} some/none; ${grants(inCi)}`,
    ],
    'more by its entity': [
      'issued - e\n ~ entity e p → q',
      `some/none; changed e some/none; ${grants('tokens without policies of entity e')}; ${grants('entity e')}`,
    ],
    'a group that gets an alias, and more': [
      '~ group g p → q\n + alias a ci g',
      `some/none; opened a some/none; ${ofAlias}; ${elsewhere('group g')}`,
    ],
    'an alias that no role reads': ['role r -\n ~ group g p → q\n alias a ci g', `unknown/none; ${ofAlias}`],
    'a role reads groups no longer, whose aliases are elsewhere': [
      reads,
      'some/unknown; widened r some/none; changed r none/unknown which groups claim "groups" maps to (no alias of auth/ci is declared here); other groups with an alias of auth/ci',
    ],
    'a role reads groups no longer, of which there are none': [
      `complete aliases\n ${reads}`,
      'some/none; widened r some/none',
    ],
    'a role reads no longer a group that denies': [
      `${shut}\n ${reads}`,
      `some/some; widened r some/none; changed r none/some; closed a unknown/none what else the principals of alias ci/a (group g) hold: a denial on "b" goes; ${grants('alias ci/a (group g)')}; ${elsewhere('group g')}`,
    ],
    'another text of the same rules': ['~ policy p: a read → path "a" {capabilities=["read"]}', 'none/none'],
    'a policy that loses, and denies no longer': [
      '~ policy p: a read,update; b deny → a read\n role r p',
      'unknown/some; changed r none/some; changed p unknown/none what else other principals with policy p hold: a denial on "b" goes; other principals with policy p',
    ],
    'a role reads groups no longer, whose aliases are now elsewhere': [
      `- complete aliases\n ${reads}`,
      'some/none; widened r some/none; other groups with an alias of auth/ci',
    ],
    'a way that gives': ['+ made-token app p', 'some/none; opened token "app" some/none'],
    'one that gave': ['- made-token app p', 'none/some; closed token "app" none/some'],
    'one that may take': [
      '+ write sys/x p',
      'some/unknown; opened write to sys/x some/unknown what write to sys/x does',
    ],
    'one that may have taken': [
      '- write sys/x p',
      'unknown/some; closed write to sys/x unknown/some what write to sys/x does',
    ],
    'more by it': [
      '~ made-token app p → p,q',
      `some/none; changed token "app" some/none; ${grants('token "app"')}`,
    ],
    'other bounds': ['~ approle ci/app p → a: 1', `some/some; changed ${inCi} some/some`],
    'another group by it': [
      'group g q\n group h -\n ~ group-alias a ldap ldap g → ldap ldap h',
      `unknown/some; changed ${ofDirectory} none/some; ${grants(ofDirectory)}; ${elsewhere('group g')}; ${elsewhere('group h')}`,
    ],
    'an entity by a new alias': [
      `entity e p\n + ${asEntity}`,
      `some/none; opened ${ofBob} some/none; ${grants(ofBob)}; what ${ofBob} had before; ${elsewhere('entity e')}`,
    ],
    'an entity by a new alias at a mount where groups stay': [
      `${led}\n role r p groupsClaim: groups\n complete aliases\n entity e -\n + ${asEntity}`,
      `some/none; opened ${ofBob} some/none; what ${ofBob} had before; ${elsewhere('entity e')}`,
    ],
    'a denial that goes, where another policy grants': [
      'role r wide,denies\n policy wide: b read\n ~ policy denies: b deny → -',
      'some/none; changed r some/none; other principals with policy denies',
    ],
    'an entity whose alias goes': [
      `entity e p\n - ${asEntity}`,
      `unknown/some; closed ${ofBob} none/some; ${grants(ofBob)}; ${elsewhere('entity e')}`,
    ],
    'the alias of an entity that goes to one with more': [
      'entity e p\n entity f q\n ~ entity-alias bob ci e → ci f',
      `some/none; changed ${ofBobAfter} some/none; ${grants(ofBobAfter)}; ${elsewhere('entity e')}; ${elsewhere('entity f')}`,
    ],
    'the alias of an entity that goes to one with less': [
      'entity e q\n entity f p\n ~ entity-alias bob ci e → ci f',
      `unknown/some; changed ${ofBobAfter} none/some; ${elsewhere('entity e')}; ${elsewhere('entity f')}`,
    ],
    'a group that goes': [
      '- group g p',
      `unknown/some; closed g none/some; ${grants('group g')}; ${elsewhere('group g')}`,
    ],
    'a group that comes': ['+ group g p', 'none/none'],
    'a group that gives more': ['~ group g p → q', `some/none; changed g some/none; ${grants('group g')}`],
    'an alias that goes': [
      'group g p\n - alias a ci g',
      `unknown/some; closed a none/some; ${ofAlias}; ${elsewhere('group g')}`,
    ],
    'an alias of another group': [
      'group g p\n group h p\n ~ alias a ci g → ci h',
      `unknown/none; ${elsewhere('group g')}; ${elsewhere('group h')}`,
    ],
    'a name in capitals': ['~ group g p → name: G\n ~ alias a ci g → ci G', 'none/none'],
    'a member that goes': [
      '- internal team p entity:ann\n + internal team p',
      `unknown/some; closed ann none/some; ${ann}`,
    ],
    'a member that comes': [
      '- internal team p\n + internal team p entity:ann',
      `some/none; opened ann some/none; ${ann}`,
    ],
    'a group inside that goes': [
      'internal team p entity:ann\n - internal all p group:team\n + internal all p',
      `unknown/none; ${elsewhere('group all')}`,
    ],
    'a method that goes': [
      '- method ci',
      'unknown/none; entities and groups elsewhere with an alias of auth/ci',
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [text, wanted]) => {
    expect(wordsOf(text)).toBe(wanted);
  });

  test('a method that is made anew', () => {
    const replaced = [{ type: 'method' as const, name: 'ci' }];
    const { unseen } = decideAccess(change('method ci', { replaced }), now);
    expect(unseen.map(reasonWords)).toEqual(['entities and groups elsewhere with an alias of auth/ci']);
  });
});

/** By whom, and with which policies before and after. */
const listed = (all: readonly Principals[]) =>
  all.map(({ by, before, after }) => `${giverWords(by)}: ${before.join()} → ${after.join()}`);

describe('groups of one auth method, for an entity that signs in at another', () => {
  const at = (name: string, ...methods: string[]) =>
    methods.map((path) => `entity-alias ${name} ${path} ${name}`).join('\n');
  const far = (before: string, after: string) => {
    const roles = 'role r groupsClaim: groups\n role far/r groupsClaim: groups\n group g p\n alias a ci g';
    const [was, is] = [before, after].map((aliases) => graph(`${roles}\n ${aliases}`));
    const { mounts } = principalsOf({ before: was as Graph, after: is as Graph });
    const aliases = (mount: string) =>
      listed(mounts.get(mount)?.groups.filter(({ kind }) => kind === 'alias') ?? []);
    expect(aliases('ci')).toEqual([stays]);
    return aliases('far');
  };
  const stays = 'alias ci/a (group g): p → p';
  const linked = 'alias ci/a (group g), at auth/far as the same entity';
  const both = at('e', 'ci', 'far');
  const second = at('f', 'ci', 'far');
  test.each<[what: string, before: string, after: string, ...expected: string[]]>([
    ['stay where it has both aliases', both, both, stays],
    ['come with its other alias', at('e', 'ci'), both, `${linked}:  → p`],
    ['go with its other alias', both, at('e', 'far'), `${linked}: p → `],
    ['come for one entity and go for another', both, second, `${linked}: p → `, `${linked}:  → p`],
    ['come for a second entity', both, `${both}\n${second}`, stays, `${linked}:  → p`],
    ['are none of two entities', `${at('e', 'ci')}\n${at('f', 'far')}`, at('e', 'ci')],
  ])('%s', (_, before, after, ...expected) => {
    expect(far(before, after)).toEqual(expected);
  });
});

test('a setting of a method and a credential of a role are no sign-ins of the method', () => {
  const text = '~ configuration k8s kubernetes host: a → host: b\n ~ secret-id s k8s/r a: 1 → a: 2';
  const { mounts, otherPrincipals } = principalsOf(change(text));
  expect([mounts.size, otherPrincipals.length]).toEqual([0, 2]);
});

const byRole = 'token role t';

test.each<[what: string, change: string, ...wanted: string[]]>([
  [
    'may take each alone, with the default policy',
    '~ token t p,q → p,r',
    `${byRole}: default,p,q → default,p,r`,
    `${byRole}, with policy p alone: default,p → default,p`,
    `${byRole}, with policy r alone: default,p,q → default,r`,
  ],
  ['has no choice of one', 'token t p', `${byRole}: default,p → default,p`],
  [
    'has a choice of two, one of which goes',
    '~ token t p,q token_no_default_policy: true → p',
    `${byRole}: p,q → p`,
    `${byRole}, with policy p alone: p → p`,
  ],
  ['may not pick', 'approle t p,q', 'role t of approle: default,p,q → default,p,q'],
  ['is new', '+ token t p,q', `${byRole}:  → default,p,q`],
])('who picks of the policies of a token role %s', (_, text, ...wanted) => {
  const { mounts, otherPrincipals } = principalsOf(change(text));
  const certain = otherPrincipals.filter(({ left }) => left === undefined);
  expect(listed([...[...mounts.values()].flatMap(({ roles }) => roles), ...certain])).toEqual(wanted);
});

test.each([
  ['one', '- group g p\n - alias a ci g\n + internal g p', 'group g:  → p'],
  ['none, that was one', '+ group g p\n + alias a ci g\n - internal g p', 'group g: p → '],
])('an external group that becomes an internal one had no members before: %s', (_, text, wanted) => {
  expect(listed(principalsOf(change(text)).identities)).toEqual([wanted]);
});

test.each([
  ['true → tokenPoliciesTemplateClaims: false', 'a,of-{{.x}} (filled in) → a,of-{{.x}}'],
  ['false → tokenPoliciesTemplateClaims: true', 'a,of-{{.x}} → a,of-{{.x}} (filled in)'],
  ['true → tokenPoliciesTemplateClaims: true', 'a,of-{{.x}} → a,of-{{.x}}'],
])('a policy whose name a claim fills in is another one than that of its text: %s', (claims, wanted) => {
  const { mounts } = principalsOf(change(`~ role r a,of-{{.x}} tokenPoliciesTemplateClaims: ${claims}`));
  expect(listed(mounts.get('ci')?.roles ?? [])).toEqual([`role ci/r: ${wanted}`]);
});

test.each([
  ['', ['auth/far:  → ']],
  ['- complete roles:far', ['auth/far:  → ']],
  ['complete roles:far', []],
])(
  'a method without roles here may have some elsewhere, unless all are known on both sides: %s',
  (known, wanted) => {
    const { mounts } = principalsOf(change(`method far\n ${known}`));
    expect(listed(mounts.get('far')?.roles ?? [])).toEqual(wanted);
  },
);
