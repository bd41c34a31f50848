import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { declaredKinds } from '../../src/serve/declared-kinds.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryFolder({ 'Pulumi.yaml': 'name: login\nruntime: nodejs\n' });
});

const staff = {
  kind: 'open_source_identity_server',
  name: 'staff',
  path: 'people',
  clientId: 'gatehouse',
  authority: 'https://id.example.com',
  realm: 'main',
  roles: [{ name: 'reader', policies: ['default'] }],
  defaultRole: 'reader',
};

async function stack(name: string, service: object, providers: object[] = [staff]) {
  const config = {
    'gatehouse:service': service,
    'gatehouse:providers': providers,
    'gatehouse:clientSecrets': { staff: { secure: 'v1:x:y' } },
  };
  await writeFile(join(directory, `Pulumi.${name}.yaml`), stringify({ config }));
}
const address = 'https://secrets.example.com:8200';
const kindsFor = async (env: NodeJS.ProcessEnv) => [
  ...(await declaredKinds(directory, { VAULT_ADDR: `${address}/`, ...env })),
];

test('are those of the stacks on the service, by the path of their method', async () => {
  await stack('prod', { address });
  await stack('elsewhere', { address: 'https://other.example.com:8200' }, [{ ...staff, path: 'others' }]);
  expect(await kindsFor({})).toEqual([['people', 'open_source_identity_server']]);
});

test('are those of its namespace alone', async () => {
  await stack('prod', { address, namespace: 'team' });
  expect(await kindsFor({})).toEqual([]);
  expect(await kindsFor({ VAULT_NAMESPACE: 'team/' })).toHaveLength(1);
});

test('are none where nothing can be read, and those of the other stacks where one cannot', async () => {
  await stack('broken', { address, nonsense: true });
  await writeFile(join(directory, 'Pulumi.plain.yaml'), 'config: {}\n');
  const lines = Array.from(
    { length: 9 },
    (_, at) => `  a:${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(10)}]\n`,
  );
  await writeFile(join(directory, 'Pulumi.bomb.yaml'), `config:\n  a:0: &a0 [1]\n${lines.join('')}`);
  expect(await kindsFor({})).toEqual([]);
  await stack('prod', { address });
  expect(await kindsFor({})).toHaveLength(1);
  directory = temporaryFolder();
  expect(await kindsFor({})).toEqual([]);
});
