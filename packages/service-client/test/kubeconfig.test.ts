import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GatehouseError } from '../../core/src/graph/values/errors.ts';
import { readKubeconfig } from '../src/kubeconfig.ts';

const server = 'https://10.0.0.1:6443';
interface Parts {
  cluster?: object;
  user?: object;
  context?: object;
  current?: string | null;
}
/** JSON is YAML. */
const kubeconfig = ({ cluster = {}, user = {}, context = {}, current = 'one' }: Parts = {}) =>
  JSON.stringify({
    'current-context': current,
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u', ...context } },
      { name: 'two', context: { cluster: 'c', user: 'u' } },
    ],
  });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const refusal = (work: () => unknown): GatehouseError => {
  try {
    work();
  } catch (error) {
    if (error instanceof GatehouseError) return error;
  }
  throw new Error('nothing was refused');
};

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gatehouse-'));
});
afterAll(() => rm(home, { recursive: true }));

describe('what a kubeconfig says', () => {
  test.each<[string, Parts, object]>([
    ['a token', { user: { token: 't' } }, { token: 't' }],
    [
      'a client certificate',
      { user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') } },
      { clientCertificate: { certificate: 'CERT', key: 'KEY' } },
    ],
    ['a CA', { cluster: { 'certificate-authority-data': base64('CA') } }, { caPem: 'CA' }],
    ['that certificates are checked, unless it says otherwise', {}, { verifyCertificate: true }],
    [
      'that certificates are not checked',
      { cluster: { 'insecure-skip-tls-verify': true } },
      { verifyCertificate: false },
    ],
    ['the name in the certificate', { cluster: { 'tls-server-name': 'api' } }, { serverName: 'api' }],
    ['the server of its current context', {}, { context: 'one', server }],
  ])('%s', (_, parts, expected) => {
    expect(readKubeconfig({ kubeconfig: kubeconfig(parts) }, {})).toMatchObject(expected);
  });

  test('of the context that is asked for', () => {
    expect(readKubeconfig({ kubeconfig: kubeconfig(), context: 'two' }, {}).context).toBe('two');
  });

  test('in the file that KUBECONFIG names, with paths relative to it', async () => {
    const cluster = { 'certificate-authority': 'ca.pem' };
    await writeFile(join(home, 'one.yaml'), kubeconfig({ cluster, user: { tokenFile: 'token' } }));
    await writeFile(join(home, 'ca.pem'), 'CA');
    await writeFile(join(home, 'token'), 'of a file\n');
    const found = readKubeconfig({}, { KUBECONFIG: join(home, 'one.yaml') });
    expect(found).toMatchObject({ caPem: 'CA', token: 'of a file' });
  });

  test('in several files: the first that has an entry counts, and a missing one does not', async () => {
    await writeFile(join(home, 'first.yaml'), kubeconfig({ current: null, user: { token: 'first' } }));
    await writeFile(join(home, 'second.yaml'), kubeconfig({ current: 'two', user: { token: 'second' } }));
    const paths = ['missing.yaml', 'first.yaml', 'second.yaml'].map((name) => join(home, name));
    const found = readKubeconfig({}, { KUBECONFIG: paths.join(delimiter) });
    expect(found).toMatchObject({ context: 'two', token: 'first' });
  });
});

describe('refused', () => {
  test.each(['exec', 'auth-provider', 'username', 'as'])('%s, by its name', (name) => {
    const error = refusal(() => readKubeconfig({ kubeconfig: kubeconfig({ user: { [name]: {} } }) }, {}));
    expect(error.code).toBe('kubeconfig_unsupported');
    expect(error.message).toContain(`"${name}"`);
  });

  test('a proxy, by its name', () => {
    const given = kubeconfig({ cluster: { 'proxy-url': 'http://proxy' } });
    expect(refusal(() => readKubeconfig({ kubeconfig: given }, {})).message).toContain('"proxy-url"');
  });

  test.each<[string, { context?: string }, Parts]>([
    ['an unknown context', { context: 'three' }, {}],
    ['none that is current', {}, { current: null }],
  ])('%s, with those that there are', (_, source, parts) => {
    const error = refusal(() => readKubeconfig({ kubeconfig: kubeconfig(parts), ...source }, {}));
    expect(error.code).toBe('kubeconfig_context_unknown');
    expect(error.message).toContain('allowed: one, two');
  });

  test('no file, with the path where it was looked for', () => {
    const error = refusal(() => readKubeconfig({}, { HOME: home }));
    expect(error.code).toBe('kubeconfig_missing');
    expect(error.message).toContain(join(home, '.kube', 'config'));
  });

  test.each<[string, string]>([
    ['no YAML', 'token: hush\n  hush: {'],
    ['no kubeconfig', '{ "contexts": "hush" }'],
    ['no server', kubeconfig({ cluster: { server: undefined }, user: { token: 'hush' } })],
  ])('%s, without what is secret in it', (_, given) => {
    const error = refusal(() => readKubeconfig({ kubeconfig: given }, {}));
    expect(error.code).toBe('kubeconfig_invalid');
    expect(error.message).not.toContain('hush');
  });
});
