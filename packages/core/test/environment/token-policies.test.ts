import { describe, expect, test } from '@jest/globals';
import { type NamespaceGraph, tokenPolicies } from '../../src/environment/token-policies.ts';
import { emptyGraph } from '../../src/graph/graph.ts';
import { parsePolicy } from '../../src/graph/policies/parse-policy.ts';

const at = (path: string, lists: object): NamespaceGraph => ({
  path,
  isMade: path !== '',
  graph: { ...emptyGraph(), ...lists },
});
const policies = (...names: string[]) => ({ policies: names.map((name) => ({ name, text: '' })) });
const textOf = (use: string, ...all: NamespaceGraph[]) =>
  tokenPolicies('prod', { declared: all }, false).find((one) => one.use === use)?.text ?? '';

describe('policies of tokens', () => {
  test.each(['a*', '*', '+', 'a/+/b', '{{x}}', '$\u007bx}'])('are not written for the name %j', (name) => {
    expect(() => tokenPolicies('prod', { declared: [at('', policies(name))] }, false)).toThrow(
      /reach more than this stack/,
    );
  });

  test.each(['a+b', 'a "quoted" one', 'c++'])('take the name %j as it is', (name) => {
    const paths = parsePolicy(textOf('reading', at('', policies(name))));
    expect(JSON.stringify(paths.map((rule) => rule))).toContain(JSON.stringify(name).slice(1, -1));
  });

  test('are refused where the stack declares one of them, in any case', () => {
    expect(() =>
      tokenPolicies('prod', { declared: [at('', policies('Gatehouse-Prod-DEPLOYING'))] }, false),
    ).toThrow(/could rewrite it/);
  });

  test('reach into a namespace that the stack makes, and write it at the one around it', () => {
    const text = textOf('deploying', at('', {}), at('eu', {}), at('eu/shop', policies('one')));
    expect(text).toContain('path "sys/namespaces/eu" {\n  capabilities = ["read", "update", "delete"]');
    expect(text).toContain('path "eu/sys/namespaces/shop" {');
    expect(text).toContain(
      'path "eu/shop/sys/policies/acl/one" {\n  capabilities = ["read", "update", "delete"]',
    );
  });

  test('for planning write nothing but the child token of the plugin', () => {
    const text = textOf('planning', at('', policies('one')));
    const writing = [...text.matchAll(/path "(.*)" \{\n.*(?:"create"|"update"|"delete")/g)].map(
      ([, path]) => path,
    );
    expect(writing).toEqual(['auth/token/create', 'auth/token/revoke-self', 'sys/capabilities-self']);
  });
});
