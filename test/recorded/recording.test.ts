import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { runs } from '../../scripts/recording/runs.ts';
import { type Machine, scrub } from '../../scripts/recording/scrub.ts';
import { root } from '../harness/environment-under-test.ts';
import { callEvents, type JsonObject, type Recording } from './recorded.ts';

test.each(runs.filter(({ recording, verb }) => recording !== undefined && verb === 'up'))(
  'the stack’s file before $recording declares what was registered then',
  async ({ recording, edit = (yaml) => yaml }) => {
    const { config } = parse(edit(await readFile(join(root, 'Pulumi.dev.yaml'), 'utf8')));
    const cluster = config['gatehouse:providers'].find(({ name }: { name: string }) => name === 'cluster');
    const registered = (name: string) => {
      const events = callEvents(recording as Recording);
      const found = events.find(
        ({ method, request }) => method.endsWith('RegisterResource') && request['name'] === name,
      );
      return found?.request['object'] as JsonObject;
    };
    expect(registered('cluster-mount')['path']).toBe(cluster.path ?? 'cluster');
    for (const { name, ttl } of cluster.roles) {
      expect([name, registered(`cluster-${name}`)['tokenTtl']]).toEqual([
        name,
        60 * Number.parseInt(ttl, 10),
      ]);
    }
  },
);

describe('what is replaced in a recording', () => {
  const machine: Machine = {
    places: {
      ...{
        '/home/ann/gatehouse': '/project',
        '/home/ann': '/home/user',
        '/tmp/record-1/project': '/project',
      },
      'http://127.0.0.1:4000': 'http://127.0.0.1:18900',
    },
    secrets: ['root-token'],
    names: { ann: 'user', 'anns-laptop': 'host' },
  };

  test.each([
    ['the project', 'file:///home/ann/gatehouse/index.ts#1', 'file:///project/index.ts#1'],
    ['a copy of it', '"/tmp/record-1/project"', '"/project"'],
    ['the home folder', 'in /home/ann/.pulumi', 'in /home/user/.pulumi'],
    ['an address', '"http://127.0.0.1:4000/ui"', '"http://127.0.0.1:18900/ui"'],
    ['no longer address', '"http://127.0.0.1:40001"', '"http://127.0.0.1:40001"'],
    ['a token', '{"token":"root-token"}', '{"token":"token"}'],
    ['names of user and host', 'ann@anns-laptop', 'user@host'],
    ['no word that holds a name', 'annual, plan-ann-1', 'annual, plan-ann-1'],
  ])('%s', (_, text, clean) => {
    expect(scrub(text, machine)).toBe(clean);
  });

  test('no name that anybody may have', () => {
    const names = { root: 'user', localhost: 'host' };
    expect(scrub('"root" at http://localhost:8250', { ...machine, names })).toBe(
      '"root" at http://localhost:8250',
    );
  });

  test.each(['/home/bea/x', '/Users/bea', '/tmp/other', 'hvs.CAESIJ1234567890abcdef'])(
    '%s is refused',
    (text) => {
      expect(() => scrub(`{"a":"${text}"}`, machine)).toThrow(
        expect.objectContaining({ code: 'recording_private' }),
      );
    },
  );

  test('a token that is refused is not shown', () => {
    expect(() => scrub('hvs.CAESIJ1234567890abcdef', machine)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('CAESIJ') }),
    );
  });
});
