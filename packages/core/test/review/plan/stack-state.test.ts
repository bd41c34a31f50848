import { describe, expect, test } from '@jest/globals';
import { readStackExport } from '../../../src/review/plan/stack-export.ts';
import { stateOfStack } from '../../../src/review/plan/stack-state.ts';

const urn = (type: string, name: string) => `urn:pulumi:prod::own::${type}::${name}`;
const providerUrn = urn('pulumi:providers:vault', 'service');
const vaultProvider = (inputs: object, at = providerUrn) => ({
  urn: at,
  type: 'pulumi:providers:vault',
  custom: true,
  id: '1',
  inputs,
  outputs: inputs,
});
const resource = (type: string, inputs: object, extra: object = {}) => ({
  urn: urn(type, String(Object.values(inputs)[0])),
  type,
  custom: true,
  id: 'x',
  provider: `${providerUrn}::1`,
  inputs,
  outputs: inputs,
  ...extra,
});
const policy = (name: string, extra: object = {}) =>
  resource('vault:index/policy:Policy', { name, policy: 'path "a" { capabilities = ["read"] }', ...extra });
const state = (...resources: object[]) =>
  stateOfStack(readStackExport(JSON.stringify({ version: 3, deployment: { resources } })));
const at = { address: 'https://a.example' };

describe('what a program made, by its state', () => {
  test('is a graph of what it asked for, at the address of its provider', () => {
    const { address, graphs, unseen } = state(vaultProvider(at), policy('one'));
    expect({ address, unseen }).toEqual({ address: 'https://a.example', unseen: [] });
    expect(graphs.map(({ namespace, graph }) => [namespace, graph.policies.map(({ name }) => name)])).toEqual(
      [['', ['one']]],
    );
  });

  test('has no address where the program leaves it to VAULT_ADDR', () => {
    expect(state(vaultProvider({}), policy('one')).address).toBeUndefined();
  });

  test('is apart by namespace, that of the provider with that of the resource', () => {
    const { graphs } = state(
      vaultProvider({ ...at, namespace: 'team' }),
      policy('one'),
      policy('two', { namespace: 'eu' }),
    );
    expect(graphs.map(({ namespace }) => namespace)).toEqual(['team', 'team/eu']);
  });

  test('leaves out what is still to be deleted', () => {
    const old = { ...policy('old'), delete: true };
    expect(state(vaultProvider(at), old, policy('new')).graphs[0]?.graph.policies).toHaveLength(1);
  });

  test('has what is still to be deleted where that is asked for', () => {
    const leftover = { ...policy('old'), urn: policy('new').urn, delete: true };
    const resources = JSON.stringify({
      version: 3,
      deployment: { resources: [vaultProvider(at), leftover, policy('new')] },
    });
    const { graphs } = stateOfStack(readStackExport(resources), true);
    expect(graphs[0]?.graph.policies.map(({ name }) => name).sort()).toEqual(['new', 'old']);
  });

  test('lists the namespaces that it made', () => {
    const namespaceType = 'vault:index/namespace:Namespace';
    const { namespaces } = state(
      vaultProvider({ ...at, namespace: 'team' }),
      resource(namespaceType, { path: 'eu' }),
      resource(namespaceType, { path: 'shop', namespace: 'eu' }),
    );
    expect(namespaces).toEqual(['eu', 'eu/shop']);
  });

  test('names what is encrypted', () => {
    const secret = {
      '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
      ciphertext: 'v1:x',
    };
    const { graphs } = state(vaultProvider(at), policy('one', { policy: secret }), policy('two'));
    expect(graphs[0]?.untold).toEqual([{ type: 'policy', name: 'one' }]);
  });

  test('names resources of the service that no graph has, and says that a deployment was interrupted', () => {
    const audit = resource('vault:index/unheardOf:UnheardOf', { path: 'x' });
    const text = JSON.stringify({
      version: 3,
      deployment: { resources: [vaultProvider(at), policy('one'), audit], pending_operations: [{}] },
    });
    expect(stateOfStack(readStackExport(text)).unseen).toEqual([
      'what resources of type vault:index/unheardOf:UnheardOf give',
      'what the deployment did last, which was interrupted',
    ]);
  });

  test('of several services is refused', () => {
    const other = urn('pulumi:providers:vault', 'other');
    const elsewhere = { ...policy('two'), provider: `${other}::1` };
    const providers = [vaultProvider(at), vaultProvider({ address: 'https://b.example' }, other)];
    expect(() => state(...providers, policy('one'), elsewhere)).toThrow(/resources at several services/);
  });
});
