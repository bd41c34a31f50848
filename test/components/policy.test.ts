import { describe, expect, test } from '@jest/globals';
import { Policy } from '../../components/policy.ts';
import { named, register, registration } from '../harness/pulumi-mocks.ts';

const args = { name: 'read', text: 'path "a" { capabilities = ["read"] }' };
const type = 'vault:index/policy:Policy';
const inputs = { name: args.name, policy: args.text };

describe('Policy', () => {
  test('is a component with the official resource', async () => {
    const registered = await register(() => new Policy('read', args));
    const own = { inputs, parent: 'read' };
    expect(named(registered, 'read-policy')).toEqual(
      registration(`gatehouse:index:Policy$${type}`, 'read-policy', own),
    );
    expect(named(registered, 'read')).toMatchObject({ inputs: args, outputs: { name: 'read' } });
  });

  test.each([
    ['the name root', { name: 'root' }, 'name: the policy root is the service’s own'],
    ['root in another spelling', { name: ' ROOT ' }, 'name: the policy root'],
    ['no name', { name: '' }, 'name: '],
    ['no text', { text: '' }, 'text: '],
    ['a text that is cut off', { text: 'path "a" { capabilities = ["read"]' }, 'text: line 1: '],
    ['a text that is no policy', { text: 'read secret' }, 'text: line 1: '],
    ['JSON that is no policy', { text: '{ "path": ["a"] }' }, 'text: a rule is written as path '],
    ['an attribute that no server knows', { text: 'path "a" { capabilites = ["read"] }' }, '`capabilites`'],
  ])('is refused with %s, at once', async (_, given, message) => {
    await expect(register(() => new Policy('it', { ...args, ...given }))).rejects.toThrow(
      expect.objectContaining({ code: 'inputs_invalid', message: expect.stringContaining(message) }),
    );
  });

  test('takes JSON, too', async () => {
    const text = '{ "path": { "a": { "capabilities": ["read"] } } }';
    const registered = await register(() => new Policy('it', { name: 'a', text }));
    expect(named(registered, 'it-policy').inputs['policy']).toBe(text);
  });
});
