import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand, wordsOf } from '../../packages/cli/test/running-command.ts';
import { listen } from '../../packages/host/src/listen.ts';
import { ServiceClient } from '../../packages/service-client/src/service-client.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { root } from '../harness/environment-under-test.ts';
import { started } from '../harness/started.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { blocksOf } from './markdown.ts';

const address = 'https://secrets.example.com:8200';
const web =
  '{ name: web, namespace: shop, serviceAccount: web, audience: secrets, policies: [secrets-read] }';
const environment = `config:
  gatehouse:service: { address: ${address} }
  gatehouse:providers:
    - kind: container_orchestrator
      name: cluster
      issuer: https://cluster.example.com
      roles: [${web}]
`;
const message = '{ title: Note, message: Hello, startTime: 2026-01-01T00:00:00Z }';
const salt = 'v1:vrIcFuFdE1o=:v1:PSlB4XN5UwVAAEqV:s1DgfHpzlwsqLEjbdSHO1q0NQOmi2Q==';
const folder = temporaryFolder();
const project = temporaryFolder({
  'Pulumi.yaml': 'name: sign-in\nruntime: nodejs\n',
  'Pulumi.prod.yaml': environment,
  'Pulumi.typo.yaml': environment.replace('namespace', 'namespce'),
  'Pulumi.messages.yaml': `${environment}  gatehouse:messages: [${message}]\n`,
  'Pulumi.secret.yaml': `encryptionsalt: ${salt}\n${environment}  gatehouse:clientSecrets: { staff: { secure: "v1:AAAA:BBBB" } }\n`,
  'claims.json':
    '{ "iss": "https://cluster.example.com", "sub": "system:serviceaccount:shop:web", "aud": "other" }',
});

/** Has the policy `default` only. */
let weakToken: string;
const service = started(startEmbeddedService);
beforeAll(async () => {
  const client = new ServiceClient(service());
  const { auth } = await client.post('auth/token/create', { policies: ['default'] });
  weakToken = String(auth?.['client_token']);
  client.close();
});

/** What a command prints that runs in this folder, with these variables and no others. */
async function printed(line: string, env: NodeJS.ProcessEnv = {}, cwd = project): Promise<string> {
  const { out, err } = await runCommand(wordsOf(line), env, cwd);
  return err + out;
}
const onService = (line: string, token = service().token, { address } = service()) =>
  printed(line, { VAULT_TOKEN: token, GATEHOUSE_SERVICE_ADDRESS: address });

/** A double of a service, that knows its own status only. */
async function onDouble(stack: string, status: object): Promise<string> {
  const double = createServer((_request, response) => response.end(JSON.stringify(status)));
  const address = `http://127.0.0.1:${await listen(double, 0)}`;
  const text = await onService(`preview -s ${stack}`, 'any', { ...service(), address });
  double.closeAllConnections();
  double.close();
  return text;
}

/** How each symptom comes about. */
const causes: Record<string, () => Promise<string>> = {
  node: async () => {
    const bin = join(root, 'packages/cli/gatehouse.mjs');
    return spawnSync(process.execPath, ['--no-experimental-strip-types', bin], { encoding: 'utf8' }).stderr;
  },
  project_missing: () => printed('preview -s prod', {}, folder),
  stack_unknown: () => printed('preview -s prd'),
  environment_invalid: () => printed('preview -s typo'),
  passphrase_wrong: () => printed('refresh -s secret --yes', { PULUMI_CONFIG_PASSPHRASE: 'wrong' }),
  service_unreachable: () =>
    onService('preview -s prod', 'any', { ...service(), address: 'http://127.0.0.1:1' }),
  token_refused: () => onService('preview -s prod', 'expired'),
  unreadable: () => onService('drift -s prod', weakToken),
  messages_unsupported: () => onDouble('messages', { sealed: false, version: '2.7.0' }),
  service_sealed: () => onDouble('prod', { sealed: true, version: '2.7.0' }),
  explain: () => printed('explain -s prod --role web --claims claims.json'),
  confirmation_needed: () => onService('up -s prod'),
  run_task_key_missing: () => printed('serve'),
  platform_unreachable: () => printed('deploy -s prod --address http://127.0.0.1:1', { VAULT_TOKEN: 'any' }),
  port_in_use: async () => {
    const taken = createServer();
    const port = await listen(taken, 0);
    const env = { GATEHOUSE_RUN_TASK_KEY: 'only-an-example' };
    const text = await printed(`serve --port ${port}`, env, folder);
    taken.close();
    return text.replace(`${port}`, '8300');
  },
};

/** Addresses of this test as the page has them. */
const asShown = (key: string, text: string) =>
  text.replaceAll(
    /http:\/\/127\.0\.0\.1:\d+/g,
    key === 'platform_unreachable' ? 'http://127.0.0.1:8300' : address,
  );

describe('docs/errors.md', () => {
  const blocks = blocksOf('docs/errors.md').filter(({ info }) => info.startsWith('text shown '));

  test.each(blocks.map(({ info, text }) => [info.replace('text shown ', ''), text]))(
    'quotes what is printed: %s',
    async (key, text) => {
      const cause = causes[key];
      if (cause === undefined) throw new Error('nothing here shows it');
      const version = /v\d+\.\d+\.\d+/;
      expect(asShown(key, await cause()).replace(version, 'v24')).toContain(
        text.trimEnd().replace(version, 'v24'),
      );
    },
  );
});
