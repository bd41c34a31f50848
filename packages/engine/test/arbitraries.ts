import fc from 'fast-check';
import {
  type PropertyMap,
  type PropertyValue,
  ResourceReference,
  Secret,
  Unknown,
} from '../src/property-value.ts';
import type { PendingOperation, ResourceState } from '../src/resource-state.ts';

const names = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('__proto__', 'constructor', 'ciphertext', 'urn'),
);
/** JSON has no negative zero. */
const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);

/** Properties with everything that JSON cannot say, secrets nested in secrets' objects included. */
export const propertyMaps: fc.Arbitrary<PropertyMap> = fc.letrec<{ value: PropertyValue; map: PropertyMap }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(
        fc.constant(null),
        fc.boolean(),
        numbers,
        fc.string({ unit: 'grapheme' }),
        fc.constant(Unknown.value),
        fc.string().map((urn) => new ResourceReference(urn)),
        fc.tuple(fc.string(), fc.string({ minLength: 1 })).map(([urn, id]) => new ResourceReference(urn, id)),
        fc.string().map((urn) => new ResourceReference(urn, Unknown.value)),
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('map'),
      tie('value').map((value) => (value instanceof Secret ? value : new Secret(value))),
    ),
    map: fc
      .array(fc.tuple(names, tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries) as PropertyMap),
  }),
).map;

const texts = fc.string({ minLength: 1, maxLength: 12 });
const lists = fc.array(texts, { maxLength: 3 });

const { id: _, ...always } = resource('');
export const resources: fc.Arbitrary<ResourceState> = fc.record(
  {
    urn: texts,
    type: texts,
    custom: fc.boolean(),
    id: texts,
    inputs: propertyMaps,
    outputs: propertyMaps,
    parent: texts,
    protect: fc.boolean(),
    dependencies: lists,
    propertyDependencies: fc.dictionary(texts, lists, { maxKeys: 3 }).map((map) => ({ ...map })),
    provider: texts,
    initErrors: lists,
    delete: fc.boolean(),
    pendingReplacement: fc.boolean(),
    additionalSecretOutputs: lists,
    importId: texts,
    replaceOnChanges: lists,
    replacementTrigger: propertyMaps.map((map) => ({ ...map })),
    created: fc.constant('2026-12-01T00:00:00Z'),
    modified: fc.constant('2026-12-02T00:00:00.5Z'),
    sourcePosition: texts,
  },
  { requiredKeys: Object.keys(always) as (keyof typeof always)[] },
);

export const operations: fc.Arbitrary<PendingOperation> = fc.record({
  type: fc.constantFrom('creating', 'updating', 'deleting', 'reading', 'importing'),
  resource: resources,
});

/** A plain resource of this URN; the fields given take the place of empty ones. */
export function resource(urn: string, fields: Partial<ResourceState> = {}): ResourceState {
  return {
    urn,
    type: 'test:index:Thing',
    custom: true,
    id: `id of ${urn}`,
    inputs: {},
    outputs: {},
    protect: false,
    dependencies: [],
    propertyDependencies: {},
    initErrors: [],
    delete: false,
    pendingReplacement: false,
    additionalSecretOutputs: [],
    replaceOnChanges: [],
    ...fields,
  };
}
