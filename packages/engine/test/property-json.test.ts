import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertiesFromJson, propertiesToJson } from '../src/property-json.ts';
import { ResourceReference, Secret, Unknown } from '../src/property-value.ts';
import {
  operationFromJson,
  operationToJson,
  resourceFromJson,
  resourceToJson,
} from '../src/resource-state.ts';
import { operations, propertyMaps, resource, resources } from './arbitraries.ts';

/** Not encryption, but told apart from what was not encrypted. */
const encrypt = (text: string): string => `sealed:${text}`;
const decrypt = (text: string): string => {
  if (!text.startsWith('sealed:')) throw new Error('not sealed');
  return text.slice('sealed:'.length);
};
const throughText = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const signature = '4dabf18193072939515e22adb298388d';
const secretSignature = '1b47061264138c4ac30d75fd1eb44270';
const referenceSignature = '5cf8f73096256a8f31e491e813e4eb8e';
const sealed = (ciphertext: string) => ({ [signature]: secretSignature, ciphertext });
const reference = { [signature]: referenceSignature, urn: 'urn:a', packageVersion: '' };

describe('properties as JSON (pkg/resource/stack/deployment.go, SerializePropertyValue)', () => {
  test.each([
    ['a secret', new Secret('a'), sealed('sealed:"a"')],
    [
      'a secret in the object of a secret is not encrypted again',
      new Secret({ a: new Secret('b') }),
      sealed(`sealed:{"a":{"${signature}":"${secretSignature}","ciphertext":"\\"b\\""}}`),
    ],
    ['an unknown value', Unknown.value, '04da6b54-80e4-46f7-96ec-b56ff0331ba9'],
    ['a reference to a custom resource', new ResourceReference('urn:a', 'id'), { ...reference, id: 'id' }],
    ['a reference to a component', new ResourceReference('urn:a'), reference],
    [
      'a reference to a resource that is yet to be created',
      new ResourceReference('urn:a', Unknown.value),
      { ...reference, id: '' },
    ],
  ])('%s', (_, value, json) => {
    expect(propertiesToJson({ a: value }, encrypt)).toEqual({ a: json });
    expect(propertiesFromJson({ a: json }, decrypt)).toEqual({ a: value });
  });

  test('all properties survive a round trip', () => {
    fc.assert(
      fc.property(propertyMaps, (properties) => {
        const json = throughText(propertiesToJson(properties, encrypt));
        expect(propertiesFromJson(json, decrypt)).toEqual(properties);
      }),
    );
  });

  test('nothing within a secret is in the JSON', () => {
    fc.assert(
      fc.property(propertyMaps, (properties) => {
        const json = JSON.stringify(
          propertiesToJson({ ...properties, s: new Secret({ deep: ['needle'] }) }, () => 'sealed'),
        );
        expect(json).not.toContain('needle');
      }),
    );
  });

  test('a secret that was exported in clear (`--show-secrets`) is one again', () => {
    const json = { [signature]: secretSignature, plaintext: '"a"' };
    expect(propertiesFromJson({ a: json }, decrypt)).toEqual({ a: new Secret('a') });
  });

  test.each<[string, string, object, string]>([
    ['an asset', 'c44067f5952c0a294b673a41bacd8c17', { text: 'a' }, 'asset_not_supported'],
    ['a secret as the wire has it', secretSignature, { value: 'a' }, 'state_value_invalid'],
    ['an output value', 'd0e6a833031e9bbcd3f4e8bde6ca49a4', { value: 'a' }, 'state_value_invalid'],
    ['a reference without a URN', referenceSignature, { id: 'a' }, 'state_value_invalid'],
    ['an object with another signature', 'other', {}, 'state_value_invalid'],
  ])('%s is refused by name', (_, mark, fields, code) => {
    const refused = { [signature]: mark, ...fields };
    const message = expect.stringMatching(/^(?!.*plugin protocol).*inner/s);
    expect(() => propertiesFromJson({ inner: refused }, decrypt)).toThrow(
      expect.objectContaining({ code, message }),
    );
  });
});

describe('resources as JSON (sdk/go/common/apitype/core.go, ResourceV3, OperationV2)', () => {
  test('all resources survive a round trip', () => {
    fc.assert(
      fc.property(resources, (state) => {
        expect(resourceFromJson(throughText(resourceToJson(state, encrypt)), decrypt)).toEqual(state);
      }),
    );
  });

  test('all pending operations survive a round trip', () => {
    fc.assert(
      fc.property(operations, (operation) => {
        expect(operationFromJson(throughText(operationToJson(operation, encrypt)), decrypt)).toEqual(
          operation,
        );
      }),
    );
  });

  test('what is empty is left out', () => {
    expect(resourceToJson(resource('urn:a'), encrypt)).toEqual({
      urn: 'urn:a',
      custom: true,
      id: 'id of urn:a',
      type: 'test:index:Thing',
    });
  });

  test.each([
    [null],
    [[]],
    [{}],
    [{ urn: 'a' }],
    [{ urn: 'a', type: 'b', inputs: 1 }],
    [{ urn: 'a', type: 'b', dependencies: [1] }],
  ])('%j is no resource', (json) => {
    expect(() => resourceFromJson(json, decrypt)).toThrow();
  });
});
