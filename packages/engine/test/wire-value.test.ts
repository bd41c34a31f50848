// Follows pulumi/pulumi sdk/go/common/resource/plugin/rpc.go (MarshalProperties, UnmarshalProperties).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import structPb from 'google-protobuf/google/protobuf/struct_pb.js';
import { type PropertyMap, ResourceReference, Secret, Unknown } from '../src/property-value.ts';
import { fromStruct, toStruct } from '../src/wire-value.ts';
import { propertyMaps } from './arbitraries.ts';

const signature = '4dabf18193072939515e22adb298388d';
const secretSignature = '1b47061264138c4ac30d75fd1eb44270';
const outputSignature = 'd0e6a833031e9bbcd3f4e8bde6ca49a4';
const referenceSignature = '5cf8f73096256a8f31e491e813e4eb8e';
const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const urn = 'urn:pulumi:dev::gatehouse::vault:jwt/authBackend:AuthBackend::staff';

const marked = (kind: string, fields: object = {}) => ({ [signature]: kind, ...fields }) as Plain;
const secret = (value: unknown) => marked(secretSignature, { value });
const reference = (id: string, fields: object = {}) => marked(referenceSignature, { urn, id, ...fields });
const whole = new ResourceReference(urn, 'jwt');
const pending = new ResourceReference(urn, Unknown.value);

type Plain = Parameters<typeof structPb.Struct.fromJavaScript>[0];
const read = (plain: Plain) => fromStruct(structPb.Struct.fromJavaScript(plain));
const written = (map: PropertyMap, options = {}) => toStruct(map, options).toJavaScript();
const overTheWire = (map: PropertyMap) =>
  fromStruct(
    structPb.Struct.deserializeBinary(
      toStruct(map, { keepSecrets: true, keepResources: true }).serializeBinary(),
    ),
  );

// The protobuf library keeps its maps in plain objects, so that this one name cannot be carried.
const properties = propertyMaps.filter((map) => !JSON.stringify(map).includes('__proto__'));

describe('toStruct and fromStruct', () => {
  test('what is written is read back the same', () => {
    fc.assert(
      fc.property(properties, (map) => {
        expect(overTheWire(map)).toEqual(map);
      }),
    );
  });

  test('without keepSecrets no secret mark goes over the wire', () => {
    fc.assert(
      fc.property(properties, (map) => {
        expect(JSON.stringify(written(map))).not.toContain(secretSignature);
      }),
    );
  });
});

// What a value is set to in JavaScript, and has no type for.
const unset: any = undefined;

describe('toStruct', () => {
  test.each<[string, PropertyMap, object, Plain]>([
    ['a secret, by default as its plain value', { a: new Secret('x') }, {}, { a: 'x' }],
    ['a secret, marked when asked', { a: new Secret('x') }, { keepSecrets: true }, { a: secret('x') }],
    ['a secret deep inside', { a: { b: [new Secret(1)] } }, { keepSecrets: true }, { a: { b: [secret(1)] } }],
    ['an unknown value', { a: Unknown.value }, {}, { a: unknown }],
    ['an unknown secret', { a: new Secret(Unknown.value) }, { keepSecrets: true }, { a: secret(unknown) }],
    ['a reference, by default as its id', { a: new ResourceReference(urn, 'jwt') }, {}, { a: 'jwt' }],
    ['a reference to a component, by default as its URN', { a: new ResourceReference(urn) }, {}, { a: urn }],
    ['a reference without an id yet, by default as unknown', { a: pending }, {}, { a: unknown }],
    ['a reference, whole when asked', { a: whole }, { keepResources: true }, { a: reference('jwt') }],
    ['a reference without an id yet, whole', { a: pending }, { keepResources: true }, { a: reference('') }],
    ['null', { a: null }, {}, { a: null }],
    ['an undefined property, left out', { a: unset, b: 1 }, {}, { b: 1 }],
    ['an undefined list entry, as null', { a: [unset] }, {}, { a: [null] }],
  ])('%s', (_, map, options, plain) => {
    expect(written(map, options)).toEqual(plain);
  });
});

describe('fromStruct', () => {
  const output = (fields: object) => marked(outputSignature, fields);
  const hidden = { secret: true, dependencies: [urn] };
  test.each<[string, Plain, PropertyMap]>([
    ['an unknown boolean', { a: '1c4a061d-8072-4f0a-a4cb-0ff528b18fe7' }, { a: Unknown.value }],
    ['an unknown number', { a: '3eeb2bf0-c639-47a8-9e75-3b44932eb421' }, { a: Unknown.value }],
    ['an unknown string', { a: unknown }, { a: Unknown.value }],
    ['an unknown list', { a: '6a19a0b0-7e62-4c92-b797-7f8e31da9cc2' }, { a: Unknown.value }],
    ['an unknown object', { a: 'dd056dcd-154b-4c76-9bd3-c8f88648b5ff' }, { a: Unknown.value }],
    ['an unknown asset', { a: '030794c1-ac77-496b-92df-f27374a8bd58' }, { a: Unknown.value }],
    ['an unknown archive', { a: 'e48ece36-62e2-4504-bad9-02848725956a' }, { a: Unknown.value }],
    ['a secret in a secret, as one', { a: secret(secret('x')) }, { a: new Secret('x') }],
    ['an output value that is known', { a: output({ value: 7 }) }, { a: 7 }],
    ['an output value that is null', { a: output({ value: null }) }, { a: null }],
    ['an output value that is not known', { a: output({}) }, { a: Unknown.value }],
    ['an output value that is secret', { a: output({ value: 'x', ...hidden }) }, { a: new Secret('x') }],
    ['one that is secret and not known', { a: output({ secret: true }) }, { a: new Secret(Unknown.value) }],
    [
      'a reference with its package version',
      { a: reference('jwt', { packageVersion: '7.8.0' }) },
      { a: whole },
    ],
  ])('%s', (_, plain, map) => {
    expect(read(plain)).toEqual(map);
  });

  test.each([[null], [undefined]])('%s is an empty map', (absent) => {
    expect(fromStruct(absent)).toEqual({});
  });

  test.each<[string, Plain, string]>([
    ['an asset', marked('c44067f5952c0a294b673a41bacd8c17', { text: 'x' }), 'asset_not_supported'],
    ['an archive', marked('0def7320c3a5731c473e5ecbe6d01bc7', { path: 'x' }), 'asset_not_supported'],
    ['a secret without its value', marked(secretSignature), 'wire_value_invalid'],
    ['a secret of the state', marked(secretSignature, { ciphertext: '"x"' }), 'wire_value_invalid'],
    ['a secret in clear', marked(secretSignature, { plaintext: '"x"' }), 'wire_value_invalid'],
    ['a reference without its URN', marked(referenceSignature, { id: 'x' }), 'wire_value_invalid'],
    ['a signature that is not known', marked('other'), 'wire_value_invalid'],
  ])('%s is refused by name', (_, plain, code) => {
    expect(() => read({ source: { inner: plain } as never })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining('inner') }),
    );
  });
});
