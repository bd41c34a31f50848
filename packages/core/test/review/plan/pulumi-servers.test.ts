import { expect, test } from '@jest/globals';
import { PulumiServers } from '../../../src/review/plan/pulumi-servers.ts';

const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const urnOf = (name: string, type = 'pulumi:providers:vault') => `urn:pulumi:dev::p::${type}::${name}`;
const step = (name: string, inputs: Record<string, unknown>, op = 'same', type?: string) => ({
  op,
  urn: urnOf(name, type),
  newState: { type: 'x', inputs, outputs: {} },
});
const [address, namespace] = ['https://a', 'team'];

const cases: Record<string, [object[], object]> = {
  'a provider': [[step('x', { address, namespace })], { server: 'x', namespace }],
  'the same address as another': [
    [step('y', { address }), step('x', { address })],
    { server: 'y', namespace: '' },
  ],
  'a namespace that is unknown': [
    [step('y', { address }), step('x', { address, namespace: unknown })],
    { server: 'x', namespace: '' },
  ],
  'a namespace that is no text': [
    [step('y', { address }), step('x', { address, namespace: 5 })],
    { server: 'x', namespace: '' },
  ],
  'an address that is unknown': [
    [step('y', { address: unknown }), step('x', { address: unknown })],
    { server: 'x', namespace: '' },
  ],
  'an address that is hidden': [
    [step('y', { address: '[secret]' }), step('x', { address: '[secret]' })],
    { server: 'x', namespace: '' },
  ],
  'a refresh, which is passed over': [
    [step('x', { address, namespace }, 'refresh')],
    { server: 'x', namespace: '' },
  ],
  'a resource of another type': [
    [step('x', { address, namespace }, 'same', 'a:b:C')],
    { server: 'x', namespace: '' },
  ],
};
test.each(Object.entries(cases))('a resource is where its provider is: %s', (_, [steps, server]) => {
  const servers = new PulumiServers(steps as ConstructorParameters<typeof PulumiServers>[0]);
  expect(servers.of(`${urnOf('x')}::id`)).toEqual(server);
  expect(servers.incomplete).toEqual([]);
});

test('default providers of two packages are one server only where they have one address', () => {
  const ofOther = (given: string) => [
    step('default', { address: 'https://a' }),
    step('default', { address: given }, 'same', 'pulumi:providers:openbao'),
  ];
  const serversOf = (given: string) => {
    const servers = new PulumiServers(ofOther(given) as ConstructorParameters<typeof PulumiServers>[0]);
    const types = ['pulumi:providers:vault', 'pulumi:providers:openbao'];
    return types.map((type) => servers.of(`${urnOf('default', type)}::id`).server);
  };
  expect(new Set(serversOf('https://a')).size).toBe(1);
  expect(new Set(serversOf('https://b')).size).toBe(2);
});

test.each<[what: string, steps: object[], known: string | undefined]>([
  ['of its only provider', [step('x', { address })], address],
  ['of two with one address', [step('x', { address }), step('y', { address })], address],
  ['not of two', [step('x', { address }), step('y', { address: 'https://b' })], undefined],
  ['not where one has the environment’s', [step('x', { address }), step('y', {})], undefined],
  ['not where it is unknown', [step('x', { address: unknown })], undefined],
])('the address of the service is known: %s', (_, steps, known) => {
  const servers = new PulumiServers(steps as ConstructorParameters<typeof PulumiServers>[0]);
  expect(servers.address).toBe(known);
});
