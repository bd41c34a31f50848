import { describe, expect, test } from '@jest/globals';
import { emptyGraph, type Graph } from '../../../src/graph/graph.ts';
import { methodSubject, roleSubject, type Subject } from '../../../src/graph/subject.ts';
import { judgeGraph } from '../../../src/review/rules/rules.ts';
import { UnknownFields } from '../../../src/review/rules/unknown-fields.ts';
import { jwtMethod, jwtRole, oidcMethod, oidcRole } from './graph-fixture.ts';

const objection = (subject: Subject) => ({ subject, message: '', fix: '' });
const [role, other, method] = [jwtRole(), jwtRole({ name: 'other' }), jwtMethod()];
const graph = { ...emptyGraph(), methods: [method], roles: [role, other] };
const unknown = [{ ...roleSubject(role), field: 'boundClaims' }];

describe('what a rule finds', () => {
  const known = (
    unknown: Subject[],
    read: (unknownFields: UnknownFields) => unknown,
    ...about: Subject[]
  ) => {
    const unknownFields = new UnknownFields(graph, unknown);
    return unknownFields.known(() => {
      read(unknownFields);
      return about.map(objection);
    });
  };

  test('stays where it did not read what is unknown', () => {
    expect(known(unknown, ({ graph }) => graph.roles[0]?.policies, roleSubject(role))).toHaveLength(1);
  });

  test('is left out of the part of which it read that, and of no other', () => {
    const found = known(
      unknown,
      ({ graph }) => graph.roles.map(({ boundClaims }) => boundClaims),
      roleSubject(role),
      roleSubject(other),
    );
    expect(found.map(({ subject }) => subject.name)).toEqual(['other']);
  });

  test('of a role is left out where it read an unknown field of the method', () => {
    const unknownParts = [{ ...methodSubject(method), field: 'boundIssuer' }];
    const read = ({ graph }: UnknownFields) => graph.methods[0]?.config.boundIssuer;
    expect(known(unknownParts, read, roleSubject(role))).toEqual([]);
  });

  test('of a method is left out where it read an unknown field of a role there', () => {
    expect(known(unknown, ({ graph }) => graph.roles[0]?.boundClaims, methodSubject(method))).toEqual([]);
  });
});

test('a graph without unknown fields is read as it is', () => {
  expect(new UnknownFields(graph).graph).toBe(graph);
});

test.each<[string, 'method' | 'role', string, Partial<Graph>]>([
  ['key-source', 'method', 'oidcDiscoveryUrl', { methods: [{ ...method, config: {} }] }],
  ['jwt-role-without-audience', 'role', 'boundAudiences', { roles: [jwtRole({ boundAudiences: [] })] }],
  [
    'shared-issuer-unbound',
    'role',
    'boundClaims',
    { roles: [jwtRole({ boundClaims: {}, boundSubject: '' })] },
  ],
  [
    'redirect-uri-missing',
    'role',
    'allowedRedirectUris',
    { methods: [oidcMethod()], roles: [oidcRole({ allowedRedirectUris: [] })] },
  ],
])('%s says nothing of a %s of which %s is unknown', (rule, type, field, parts) => {
  const judged: Graph = { ...graph, roles: [], ...parts };
  const [part] =
    type === 'method'
      ? judged.methods.map((one) => methodSubject(one))
      : judged.roles.map((one) => roleSubject(one));
  const rulesWith = (unknown: Subject[]) => judgeGraph(judged, { unknown }).map((one) => one.rule);
  expect(rulesWith([])).toContain(rule);
  expect(rulesWith([{ ...(part as Subject), field }])).not.toContain(rule);
});
