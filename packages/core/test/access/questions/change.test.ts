import { describe, expect, test } from '@jest/globals';
import type { AccessChange, ChangedPaths } from '../../../src/access/access-change.ts';
import { decideAccess } from '../../../src/access/questions/change.ts';
import type { Change } from '../../../src/graph/change.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { change, method, now, policy, role } from '../../review/graphs.ts';

const changesOf = (before: Partial<Graph>, after: Partial<Graph>) =>
  decideAccess(change(before, after), now).changes;

describe('who gets in by a role, before and after its bounds change', () => {
  const keys = (host: string) => [method('ci', { oidcDiscoveryUrl: `https://${host}` })];
  test.each<[what: string, before: Partial<Role>, after: Partial<Role>, kinds: string[]]>([
    ['nothing', { boundSubject: 'a' }, { boundSubject: 'a' }, []],
    ['a bound removed', { boundSubject: 'a' }, {}, ['widened']],
    ['a bound added', {}, { boundSubject: 'a' }, ['narrowed']],
    ['another subject', { boundSubject: 'a' }, { boundSubject: 'b' }, ['opened', 'closed']],
    ['another value', { boundClaims: { p: 'a' } }, { boundClaims: { p: 'b' } }, ['widened', 'narrowed']],
    // facts/jwt-oidc.md: without bound audiences, tokens with an audience are refused.
    ['no audience bound any more', {}, { boundAudiences: [] }, ['opened', 'closed']],
    ['any source address', { tokenBoundCidrs: ['10.0.0.0/24'] }, {}, ['widened']],
    ['browser instead of token', {}, { roleType: 'oidc' }, ['opened', 'closed']],
    ['other policies', {}, { policies: ['write'] }, ['changed']],
    ['the policy default, too', {}, { tokenNoDefaultPolicy: false }, ['changed']],
  ])('%s', (_, before, after, kinds) => {
    const found = changesOf({ roles: [role('r', before)] }, { roles: [role('r', after)] });
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('another issuer of the method closes the way and opens another', () => {
    const [was, is] = ['a.example', 'b.example'].map((host) => ({ roles: [role('r')], methods: keys(host) }));
    expect(changesOf(was ?? {}, is ?? {}).map(({ kind }) => kind)).toEqual(['opened', 'closed']);
  });
});

test('who that is, in the words of their provider, is told of each side', () => {
  const methods = [method('ci', { oidcDiscoveryUrl: 'https://token.actions.githubusercontent.com' })];
  const of = (repository: string) => ({ methods, roles: [role('r', { boundClaims: { repository } })] });
  const none = { methods, roles: [] };
  const [opened] = changesOf(none, of('o/a'));
  const [gone] = changesOf(of('o/a'), none);
  expect([opened?.whom, gone?.whom]).toEqual([
    { after: 'any branch of repository o/a' },
    { before: 'any branch of repository o/a' },
  ]);
});

test('nothing is told of whom an issuer without words of its own lets in', () => {
  expect(changesOf({}, { roles: [role('r')] })[0]).not.toHaveProperty('whom');
});

test('a policy that is made may be one that others have already', () => {
  const { unseen } = decideAccess(change({}, { policies: [policy('new', ['a', 'read'])] }), now);
  expect(unseen).toEqual(['other principals with policy "new"']);
});

describe('who comes by a group', () => {
  // Found by a split world: the alias that grants is in another workspace.
  const readingGroups = (groupsClaim?: string) => ({
    roles: [role('r', groupsClaim === undefined ? {} : { groupsClaim })],
    groups: [{ name: 'empty', policies: [] }],
    aliases: [{ name: '/admins', method: 'ci', group: 'empty' }],
    policies: [policy('read', ['a', 'read'])],
  });

  test('a role that begins to read groups may give those whose aliases are elsewhere', () => {
    const asked = change(readingGroups(), readingGroups('groups'));
    expect(decideAccess(asked, now)).toMatchObject({
      gains: 'unknown',
      unseen: ['other groups with an alias of auth/ci'],
    });
    const complete = [{ list: 'aliases' as const }];
    const known = { before: { ...asked.before, complete }, after: { ...asked.after, complete } };
    expect(decideAccess({ ...asked, ...known }, now).gains).toBe('none');
  });

  test.each([
    ['reads groups no longer', undefined],
    ['reads groups from another claim', 'teams'],
  ])('a role that %s leaves open what groups elsewhere granted or denied', (_, wanted) => {
    const { unseen } = decideAccess(change(readingGroups('groups'), readingGroups(wanted)), now);
    expect(unseen).toContain('other groups with an alias of auth/ci');
  });
});

test('fields that a request may have are told, and what they are allowed for', () => {
  const limited = {
    name: 'read',
    text: 'path "a" { capabilities = ["update"] allowed_parameters = { x = [] } }',
  };
  const roles = [role('r')];
  const free = policy('read', ['a', 'update']);
  const [found] = changesOf({ roles, policies: [limited] }, { roles, policies: [free] });
  const limits = [{ side: 'gained', limit: 'allowed_parameters', capabilities: ['update'] }];
  const rule = { path: 'a', capabilities: ['update'], policy: 'read' };
  const [decides, cause] = [
    { before: rule, after: rule },
    { kind: 'rule-changed', policy: 'read' },
  ];
  expect(found?.paths).toEqual([
    { path: 'a', gained: [], lost: [], parametersChange: true, limits, witness: 'a', decides, cause },
  ]);
});

test('what a plan does not tell cannot be judged', () => {
  const subject = { type: 'role' as const, name: 'r', method: 'ci', field: 'policies' };
  const roles = [role('r')];
  const judged = (...unknown: Change['unknown']) =>
    decideAccess(change({ roles }, { roles }, { unknown }), now);
  const [gains, losses] = ['unknown', 'unknown'];
  expect(judged(subject)).toMatchObject({ gains, losses, uncertain: ['policies of role "r" of auth/ci'] });
  const { field: _, ...whole } = subject;
  expect(judged(whole, whole).uncertain).toEqual(['what becomes of role "r" of auth/ci']);
  expect(judged({ ...subject, field: 'verboseOidcLogging' }, { type: 'service', name: 's' })).toMatchObject({
    ...{ gains: 'none', uncertain: [] },
  });
});

test('who loses an entity that denied them something gains it', () => {
  const roles = [role('r', { policies: ['read'] })];
  const policies = [policy('read', ['secret/*', 'read']), policy('no-prod', ['secret/prod', 'deny'])];
  const alias = {
    effect: 'gives' as const,
    policies: ['no-prod'],
    method: 'ci',
    unites: true as const,
    bounds: {},
  };
  const otherAccess = [{ name: 'alias "a" of auth/ci for entity "e"', ...alias }];
  const { gains, changes } = decideAccess(change({ roles, policies, otherAccess }, { roles, policies }), now);
  expect(gains).toBe('some');
  const path = {
    path: 'secret/prod',
    gained: ['read'],
    lost: [],
    parametersChange: false,
    witness: 'secret/prod',
    decides: {
      before: { path: 'secret/prod', capabilities: ['deny'], policy: 'no-prod' },
      after: { path: 'secret/*', capabilities: ['read'], policy: 'read' },
    },
    cause: { kind: 'policy-lost', policy: 'no-prod' },
  };
  expect(changes.flatMap(({ paths }) => paths)).toStrictEqual([
    { ...path, together: ['role "r" of auth/ci'] },
  ]);
});

// It may deny what others grant, or come before their broader grants.
describe('a policy goes whose text is not here', () => {
  const unread = /^what policy "elsewhere" allows/;

  test('of a role, though nothing is left to it', () => {
    const [before, after] = [role('r', { policies: ['elsewhere'] }), role('r', { policies: [] })];
    const { gains, changes } = decideAccess(change({ roles: [before] }, { roles: [after] }), now);
    expect(gains).toBe('unknown');
    expect(changes).toMatchObject([{ gains: 'unknown', uncertain: [expect.stringMatching(unread)] }]);
  });

  test('but with its role, nobody gains', () => {
    const before = role('r', { policies: ['elsewhere'] });
    expect(decideAccess(change({ roles: [before] }, {}), now).gains).toBe('none');
  });

  test('or comes by an alias, where a role that is not here may read groups', () => {
    const groups = [{ name: 'two', policies: ['elsewhere'] }];
    const roles = [role('r')];
    const aliases = [{ name: 'h', method: 'ci', group: 'two' }];
    expect(decideAccess(change({ roles, groups }, { roles, groups, aliases }), now).gains).not.toBe('none');
  });
});

describe('a change of everything', () => {
  const before: Partial<Graph> = {
    methods: [
      method('ci', { jwksUrl: 'https://a.example/k' }),
      method('gone'),
      method('far', { jwksUrl: 'https://f.example/k' }),
    ],
    roles: [
      role('same', { policies: ['p', 'kept'], groupsClaim: 'groups' }),
      role('wide', { policies: ['p'], groupsClaim: 'groups', boundSubject: 'x' }),
      role('narrow', { policies: ['p'] }),
      role('left', { policies: ['p'], groupsClaim: 'groups' }),
      role('lives', { policies: [], ttl: 60 }),
      role('closed', { policies: ['p'], groupsClaim: 'groups' }),
    ],
    groups: [
      { name: 'one', policies: ['g'] },
      { name: 'two', policies: ['g'] },
      { name: 'bare', policies: ['p'] },
    ],
    aliases: [
      { name: 'a', method: 'ci', group: 'one' },
      { name: 'b', method: 'ci', group: 'two' },
      { name: 'f', method: 'far', group: 'one' },
    ],
    policies: [
      policy('p', ['a/*', 'read'], ['b', 'update']),
      policy('g', ['g', 'read']),
      policy('kept', ['b', 'update', 'read']),
    ],
    identities: [
      { kind: 'entity', name: 'bot', policies: ['p'] },
      { kind: 'group', name: 'inner', policies: ['p'], members: [{ kind: 'entity', name: 'ann' }] },
    ],
    otherAccess: [
      { name: 'role "app"', effect: 'gives', policies: ['p'], bounds: { a: 1 }, lifetime: { t: 1 } },
      { name: 'old one', effect: 'gives', policies: ['p'], bounds: {}, entity: 'bot' },
      { name: 'mfa', effect: 'takes', policies: [], bounds: {} },
    ],
  };
  const after: Partial<Graph> = {
    methods: [
      method('ci', { jwksUrl: 'https://a.example/k' }),
      method('far', { jwksUrl: 'https://g.example/k' }),
    ],
    roles: [
      role('same', { policies: ['p', 'more'], groupsClaim: 'groups' }),
      role('wide', { policies: ['p'], groupsClaim: 'groups' }),
      role('narrow', { policies: ['p'], boundSubject: 'x' }),
      role('left', { policies: ['p'], groupsClaim: 'teams' }),
      role('lives', { policies: [], ttl: 120, userClaim: 'name' }),
      role('fresh', { policies: ['p'], groupsClaim: 'groups' }),
    ],
    groups: [
      { name: 'one', policies: ['g', 'p'] },
      { name: 'bare', policies: ['p'] },
    ],
    aliases: [
      { name: 'a', method: 'ci', group: 'one' },
      { name: 'c', method: 'ci', group: 'bare' },
      { name: 'f', method: 'far', group: 'one' },
    ],
    policies: [
      policy('p', ['a/*', 'read', 'update'], ['a/x', 'deny']),
      policy('g', ['g', 'read']),
      policy('kept', ['b', 'update', 'read']),
    ],
    identities: [{ kind: 'group', name: 'inner', policies: ['p'], members: [] }],
    otherAccess: [
      { name: 'role "app"', effect: 'gives', policies: ['p', 'more'], bounds: { a: 2 }, lifetime: { t: 2 } },
      { name: 'write', effect: 'either', policies: ['kept'], bounds: {}, entity: 'bot' },
      { name: 'quota', effect: 'takes', policies: [], bounds: {} },
    ],
  };

  /** Everything that is said of a change, in one line. */
  function wordsOf({ principals, bounds, policies, groups, paths, also, ...change }: AccessChange): string {
    const { kind, method: at, name, group } = principals;
    const signed = (sign: string, names: string[]) => names.map((one) => `${sign}${one}`);
    const path = ({ path, gained, lost, witness, together = [] }: ChangedPaths) =>
      [
        path,
        ...signed('+', gained),
        ...signed('-', lost),
        'at',
        witness,
        ...together.map((by) => `with ${by}`),
      ].join(' ');
    return [
      [change.kind, kind, at, name, group, `${change.gains}/${change.losses}`].filter(Boolean).join(' '),
      [...signed('+', policies.gained), ...signed('-', policies.lost), ...signed('=', policies.kept)].join(
        ' ',
      ),
      ...(bounds.before === bounds.after
        ? []
        : [`from ${bounds.before ?? 'none'} to ${bounds.after ?? 'none'}`]),
      ...groups.map((one) => `in ${one.name} ${one.policies.join()}`),
      ...paths.map(path),
      ...also.map((one) => `${one.about} ${one.gains}/${one.losses}: ${one.words}`),
      ...change.unread.map((policy) => `unread ${policy}`),
      ...change.uncertain,
      ...(change.because === undefined ? [] : [change.because]),
      ...(change.token === undefined ? [] : [JSON.stringify(change.token.claims)]),
    ].join('; ');
  }

  const decided = () => decideAccess(change(before, after), now);

  test('is told for each role, group, entity and other access', () => {
    expect(decided().changes.map(wordsOf)).toEqual([
      'opened role ci fresh some/none; +p; from none to audience "secrets"; in one g,p; in bare p; a/* +read +update at a/y; {"aud":"secrets","sub":"x","groups":"x"}',
      'opened method far some/none; ; from none to audience none; in one g,p; tokens may be signed by keys of https://g.example/k; {"sub":"x"}',
      'opened alias ci c bare some/none; +p; a/* +read +update at a/y with role "lives" of auth/ci',
      'opened other write some/unknown; +kept; b +read +update at b; what write does',
      'widened role ci left some/none; +p; in one g,p; in bare p; a/* +read +update at a/y; claim groups need not be there; {"aud":"secrets","sub":"x","teams":"x"}',
      'widened role ci lives some/none; ; claim sub need not be there; {"aud":"secrets","name":"x"}',
      'widened role ci wide some/none; +p; from claim sub "x", audience "secrets" to audience "secrets"; in one g,p; in bare p; a/* +read +update at a/y; claim sub need not be "x"; {"aud":"secrets","groups":"x","sub":"y"}',
      'changed role ci left some/some; =p; a/* +update at a/y; a/x -read at a/x; b -update at b; groups some/none: groups are read from claim "teams": group "one" gives g, p; groups some/none: groups are read from claim "teams": group "bare" gives p; groups none/some: groups are no longer read from claim "groups": group "one" gives g; groups none/some: groups are no longer read from claim "groups": group "two" gives g; {"aud":"secrets","sub":"x","teams":"x"}',
      'changed role ci lives some/unknown; ; lifetime some/none: ttl goes from 1m to 2m; identity some/unknown: people are identified by claim name instead of claim sub; {"aud":"secrets","name":"x"}',
      'changed role ci narrow some/some; =p; from audience "secrets" to claim sub "x", audience "secrets"; a/* +update at a/y; a/x -read at a/x; b -update at b; {"sub":"x","aud":"secrets"}',
      'changed role ci same some/some; +more -kept =p; a/* +update at a/y; a/x -read at a/x; b -read -update at b; unread more; what policy "more" allows (its text is missing or unreadable); {"aud":"secrets","sub":"x","groups":"x"}',
      'changed role ci wide some/some; =p; from claim sub "x", audience "secrets" to audience "secrets"; a/* +update at a/y; a/x -read at a/x; b -update at b; {"aud":"secrets","sub":"x","groups":"x"}',
      'changed alias ci a one some/none; +p =g; a/* +read +update at a/y with role "lives" of auth/ci',
      'changed alias far f one some/none; +p =g; a/* +read +update at a/y',
      'changed group inner some/some; =p; a/* +update at a/y with role "lives" of auth/ci; a/x -read at a/x with role "lives" of auth/ci; b -update at b with role "lives" of auth/ci',
      'changed other mfa some/none; ; bounds some/none: it denied access and is removed',
      'changed other quota none/some; ; bounds none/some: it is new and denies access',
      'changed other role "app" some/some; +more =p; a/* +update at a/y; a/x -read at a/x; b -update at b; bounds some/some: its sign-in requirements change; lifetime some/some: its token lifetime changes; unread more; what policy "more" allows (its text is missing or unreadable)',
      'narrowed role ci left none/some; -p; in one g; in two g; a/* -read at a/x; b -update at b',
      'narrowed role ci lives none/some; ',
      'narrowed role ci narrow none/some; -p; from audience "secrets" to claim sub "x", audience "secrets"; a/* -read at a/x; b -update at b',
      'closed role ci closed none/some; -p; from audience "secrets" to none; in one g; in two g; a/* -read at a/x; b -update at b',
      'closed method far none/some; ; from audience none to none; in one g',
      'closed alias ci b two none/some; -g; g -read at g with role "same" of auth/ci',
      'closed entity ann none/some; -p; a/* -read at a/x with role "lives" of auth/ci; b -update at b with role "lives" of auth/ci',
      'closed entity bot none/some; -p; a/* -read at a/x with role "lives" of auth/ci; b -update at b with role "lives" of auth/ci',
      'closed other old one none/some; -p; a/* -read at a/x; b -update at b',
    ]);
  });

  test('is told as a whole, with what was not looked at', () => {
    const { changes: _, ...whole } = decided();
    const grants = (of: string) => `other grants of ${of}`;
    const rests = (of: string) => `groups and policies elsewhere of ${of}`;
    expect(whole).toEqual({
      ...{ gains: 'some', losses: 'some', uncertain: [], isWhole: false, isSetUp: true },
      over: { roles: 7, groups: 7, otherPrincipals: 3, paths: 8 },
      held: { before: new Set(['p', 'kept', 'g']), after: new Set(['p', 'more', 'g', 'kept']) },
      unseen: [
        'other principals with policy "p"',
        ...['role "same" of auth/ci', 'role "left" of auth/ci', '"a" of auth/ci (group "one")'].map(grants),
        ...['"b" of auth/ci (group "two")', '"c" of auth/ci (group "bare")'].map(grants),
        ...['"f" of auth/far (group "one")', 'role "app"', 'entity "bot"', 'entity "ann"'].map(grants),
        'entities and groups elsewhere with an alias of auth/gone',
        'other groups with an alias of auth/ci',
        ...['group "two"', 'group "bare"', 'entity "bot"'].map(rests),
        'what write had before',
        rests('group "inner"'),
      ],
    });
  });
});

describe('a graph that is known as a whole', () => {
  const lists = ['methods', 'groups', 'aliases', 'policies', 'identities', 'otherAccess'] as const;
  const whole: Partial<Graph> = { complete: lists.map((list) => ({ list })) };

  test.each<[Partial<Graph>, Partial<Graph>, boolean]>([
    [whole, whole, true],
    [whole, {}, false],
    [{}, whole, false],
  ])('is so on both sides: %j and %j', (before, after, isWhole) => {
    expect(decideAccess(change(before, after), now).isWhole).toBe(isWhole);
  });

  const app = { name: 'app', effect: 'gives' as const, policies: [], bounds: {}, method: 'ci' };
  test.each<[string, Partial<Graph>, Partial<Graph>, string[]]>([
    ['a role', { roles: [role('r')] }, {}, ['what others make again at auth/ci, which is replaced']],
    ['another access', { otherAccess: [app] }, {}, ['what others make again at auth/ci, which is replaced']],
    ['what the change makes again', { roles: [role('r')] }, { roles: [role('r')] }, []],
    ['a role elsewhere', { roles: [role('r', { method: 'far' })] }, {}, []],
  ])('lacks %s of a mount that is replaced', (_, before, after, unseen) => {
    const asked = change({ ...whole, ...before }, { ...whole, ...after });
    const replaced = [{ type: 'method' as const, name: 'ci' }];
    expect(decideAccess({ ...asked, replaced }, now).unseen).toEqual(unseen);
  });
});

test('a token with a pick of policies gains where all of them together do not, and its losses are those of all', () => {
  const side = (...q: [path: string, ...capabilities: string[]][]): Partial<Graph> => ({
    policies: [policy('p', ['a', 'deny']), policy('q', ...q)],
    otherAccess: [{ name: 't', effect: 'gives', policies: ['p', 'q'], bounds: {}, picks: true }],
  });
  const found = changesOf(side(['a', 'read'], ['b', 'read']), side(['a', 'read', 'update']));
  const answers = found.map(({ principals, gains, losses }) => `${principals.name} ${gains}/${losses}`);
  expect(answers).toContain('t none/some');
  expect(answers).toContain('t, with policy "q" alone some/none');
  expect(answers).not.toContain('t, with policy "p" alone none/none');
});
