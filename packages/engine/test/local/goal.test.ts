import { describe, expect, test } from '@jest/globals';
import aliasPb from '@pulumi/pulumi/proto/alias_pb.js';
import resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import sourcePb from '@pulumi/pulumi/proto/source_pb.js';
import { goalFromMessage } from '../../src/local/goal.ts';
import { Secret } from '../../src/property-value.ts';
import { toStruct } from '../../src/wire-value.ts';

type Message = InstanceType<typeof resourcePb.RegisterResourceRequest>;

function message(): Message {
  return new resourcePb.RegisterResourceRequest().setType('test:index:Thing').setName('a').setCustom(true);
}

describe('a registration off the wire (pkg/resource/deploy/source_eval.go, RegisterResource)', () => {
  test('what is left out on the wire is absent or empty', () => {
    expect(goalFromMessage(message(), '/p')).toEqual({
      type: 'test:index:Thing',
      name: 'a',
      custom: true,
      inputs: {},
      dependencies: [],
      propertyDependencies: {},
      replaceOnChanges: [],
      additionalSecretOutputs: [],
      aliases: [],
    });
  });

  test('inputs keep their secrets', () => {
    const request = message().setObject(toStruct({ text: new Secret('x') }, { keepSecrets: true }));
    expect(goalFromMessage(request, '/p').inputs).toEqual({ text: new Secret('x') });
  });

  test('an SDK that does not say which property depends on what: each on all', () => {
    const request = message()
      .setObject(toStruct({ a: 1, b: 2 }))
      .setDependenciesList(['u']);
    expect(goalFromMessage(request, '/p').propertyDependencies).toEqual({ a: ['u'], b: ['u'] });
  });

  test('aliases come as URNs and as parts', () => {
    const spec = new aliasPb.Alias.Spec().setName('old').setNoparent(true);
    const request = message().setAliasesList([
      new aliasPb.Alias().setUrn('urn:x'),
      new aliasPb.Alias().setSpec(spec),
      new aliasPb.Alias().setSpec(new aliasPb.Alias.Spec().setType('t').setParenturn('urn:p')),
    ]);
    expect(goalFromMessage(request, '/p').aliases).toEqual([
      { urn: 'urn:x' },
      { name: 'old', noParent: true },
      { type: 't', parent: 'urn:p' },
    ]);
  });

  test('deleteBeforeReplace is only there when the program says so', () => {
    expect(goalFromMessage(message().setDeletebeforereplacedefined(true), '/p').deleteBeforeReplace).toBe(
      false,
    );
    expect(goalFromMessage(message(), '/p').deleteBeforeReplace).toBeUndefined();
  });

  test('an explicit plugin resource keeps its version with its inputs', () => {
    const request = message().setType('pulumi:providers:test').setVersion('1.2.3');
    expect(goalFromMessage(request, '/p').inputs).toEqual({ version: '1.2.3', __internal: {} });
  });

  test.each([
    ['file:///p/src/index.ts', 'project:///src/index.ts#3,7'],
    ['file:///p/file:/p/src/index.ts', 'project:///src/index.ts#3,7'],
    ['file:///p/file:/elsewhere/index.ts', undefined],
    ['file:///elsewhere/index.ts', undefined],
  ])('the position %s is counted from the project', (uri, expected) => {
    const position = new sourcePb.SourcePosition().setUri(uri).setLine(3).setColumn(7);
    expect(goalFromMessage(message().setSourceposition(position), '/p').sourcePosition).toBe(expected);
  });

  test.each<[string, (request: Message) => Message]>([
    ['ignoreChanges', (request) => request.setIgnorechangesList(['text'])],
    [
      'customTimeouts',
      (request) =>
        request.setCustomtimeouts(new resourcePb.RegisterResourceRequest.CustomTimeouts().setCreate('1h')),
    ],
    ['retainOnDelete', (request) => request.setRetainondelete(true)],
    ['deletedWith', (request) => request.setDeletedwith('urn:x')],
    ['replaceWith', (request) => request.setReplaceWithList(['urn:x'])],
    ['remote components', (request) => request.setRemote(true)],
    ['a parameterised package', (request) => request.setPackageref('ref')],
    ['pluginDownloadURL', (request) => request.setPlugindownloadurl('https://x')],
  ])('%s is refused by name', (name, use) => {
    expect(() => goalFromMessage(use(message()), '/p')).toThrow(
      expect.objectContaining({ code: 'engine_unsupported', message: expect.stringContaining(name) }),
    );
  });

  test.each(['retainOnDelete', 'protect'])('%s said to be false is no use of it', (option) => {
    const request = option === 'protect' ? message().setProtect(false) : message().setRetainondelete(false);
    expect(goalFromMessage(request, '/p').protect).toBe(option === 'protect' ? false : undefined);
  });
});
