import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../src/access/questions/change.ts';
import { reasonWords } from '../../src/words/reason-words.ts';
import { now } from '../review/graphs.ts';
import { change } from '../worlds.ts';

/** A policy that lets its tokens make others by a token role that gives `admin`. */
const makers = `policy mk: auth/token/create/deployer update
  policy admin: kv/admin read
  policy default: -
  token deployer admin`;
const known = `${makers}\n complete\n complete others:token others:apps others:people`;
const decided = (text: string) => decideAccess(change(text), now);
const gainedBy = (text: string) =>
  decided(text).changes.flatMap(({ principals: { kind, name }, paths }) =>
    paths.flatMap(({ path, gained }) => (gained.length > 0 ? [`${kind} ${name}: ${path}`] : [])),
  );

const role = 'method ci jwksUrl: https://ci.example/k\n ~ role r mk';
const approle = 'mount apps approle\n ~ approle apps/web mk';

describe('a limit of tokens that goes is a gain of what their policies allow', () => {
  test.each([
    ['a number of uses of a role', `${role} tokenNumUses: 5 → tokenNumUses: null`],
    ['the type of tokens of a role', `${role} tokenType: batch → tokenType: service`],
    [
      'the type of tokens of a mount',
      'role r mk\n ~ method ci tune: {tokenType: batch} → tune: {tokenType: default-service}',
    ],
    ['the default type of a mount', 'role r mk\n ~ method ci tune: {tokenType: default-batch} → tune: null'],
    ['batch tokens by default that a role makes others', `${role} tokenType: batch → tokenType: default`],
  ])('%s', (_, text) => {
    expect(decided(`${known}\n ${text}`).gains).toBe('some');
    expect(gainedBy(`${known}\n ${text}`)).toEqual(['role r: auth/token/create/deployer']);
  });

  test.each([
    ['uses of an AppRole', `${approle} token_num_uses: 5 → token_num_uses: 0`, 'role web of apps (approle)'],
    [
      'type of an AppRole',
      `${approle} token_type: batch → token_type: default`,
      'role web of apps (approle)',
    ],
    [
      'type of a user',
      '~ user people/ann mk token_type: batch → token_type: service',
      'user ann of people (userpass)',
    ],
    [
      'type of a mount of AppRoles',
      'approle apps/web mk\n ~ mount apps approle tune: {token_type: batch} → tune: {token_type: default-service}',
      'role web of apps (approle)',
    ],
    [
      'type of tokens that a token role makes',
      '~ token mid mk token_type: batch → token_type: service',
      'token role mid',
    ],
    [
      'uses of tokens that a token role makes',
      '~ token mid mk token_num_uses: 1 → token_num_uses: 0',
      'token role mid',
    ],
  ])('%s', (_, text, who) => {
    expect(gainedBy(`${known}\n ${text}`)).toEqual([`other ${who}: auth/token/create/deployer`]);
  });

  test('also of what a group of the token allows', () => {
    const led = 'method ci\n group g mk\n alias /g ci g';
    const text = '~ role r - groupsClaim: groups, tokenNumUses: 1 → tokenNumUses: null';
    expect(gainedBy(`${known}\n ${led}\n ${text}`)).toEqual(['alias /g: auth/token/create/deployer']);
  });
});

describe('a limit of tokens that goes gives nothing', () => {
  test.each([
    [
      'where no policy of the whole service lets them make tokens',
      'role r admin tokenNumUses: 5 → tokenNumUses: null',
    ],
    [
      'where it was not the one in effect',
      'role r mk tokenType: service, tokenNumUses: 0 → tokenType: default',
    ],
    ['where another number of uses takes its place', 'role r mk tokenNumUses: 5 → tokenNumUses: 6'],
  ])('%s', (_, text) => {
    expect(decided(`method ci\n ${known}\n ~ ${text}`).gains).toBe('none');
  });

  test('where the mount makes batch tokens whatever a role says', () => {
    const text = 'method ci tune: {tokenType: batch}\n ~ role r mk tokenType: batch → tokenType: service';
    expect(decided(`${known}\n ${text}`).gains).toBe('none');
  });

  test('where whoever makes a token by a token role chose its type before', () => {
    const text = '~ token mid mk token_type: default-batch → token_type: service';
    expect(decided(`${known}\n ${text}`).gains).toBe('none');
  });
});

test('batch tokens that become others may use their cubbyhole and renew themselves', () => {
  const text = 'policy own: cubbyhole/* update; auth/token/renew-self update';
  const { gains } = decided(
    `${known}\n ${text}\n method ci\n ~ role r own tokenType: batch, tokenNoDefaultPolicy: true → tokenType: service`,
  );
  expect(gains).toBe('some');
});

test('what others may allow these tokens is not known by a plan alone, with the limit that goes', () => {
  const { gains, unseen, uncertain } = decided(
    'policy admin: kv/admin read\n method ci\n ~ role r admin tokenNumUses: 5 → tokenNumUses: null',
  );
  expect([gains, uncertain]).toEqual(['unknown', []]);
  expect(unseen.map(reasonWords)).toContain(
    'other grants of role ci/r: their uses are not limited and they may make tokens',
  );
});

test.each([
  ['method ci tune: {tokenType: default-batch} → tune: null', 'role r mk tokenType: service'],
  [
    'mount apps approle tune: {token_type: default-batch} → tune: null',
    'approle apps/web mk token_type: service',
  ],
])('roles that are elsewhere may have the limit of their mount: %s', (mount, seen) => {
  const { gains, unseen } = decided(`${makers}\n ${seen}\n ~ ${mount}`);
  expect(gains).toBe('unknown');
  expect(unseen.map(reasonWords).join()).toMatch(
    /sign-ins at auth\/(?:ci|apps): they are no batch tokens and may make tokens/,
  );
});

test('a limit that comes is a loss of what policies allow', () => {
  const { gains, losses } = decided(`${known}\n method ci\n ~ role r mk → tokenNumUses: 5`);
  expect([gains, losses]).toEqual(['none', 'some']);
});

test('a limit is in no list of policies', () => {
  const found = decided(`${known}\n ${role} tokenNumUses: 5 → tokenNumUses: null`);
  expect(JSON.stringify([found.changes, [...found.held.before]])).not.toContain('\\u0001');
});
