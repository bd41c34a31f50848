import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { ask } from '../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../test/harness/embedded-service.ts';
import { started } from '../../../test/harness/started.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { LocalEngine } from '../../engine/src/local/local-engine.ts';
import { pem } from '../../secrets-service/test/conformance/tokens.ts';

const components = [
  {
    type: 'gatehouse:index:Policy',
    name: 'read',
    inputs: { name: 'secrets-read', text: 'path "secret/data/*" { capabilities = ["read"] }' },
  },
  {
    type: 'gatehouse:index:Jwt',
    name: 'jobs',
    inputs: {
      service: { address: 'https://secrets.example.com' },
      publicKeys: [pem],
      roles: [
        {
          name: 'deploy',
          policies: ['secrets-read'],
          boundAudiences: ['secrets'],
          boundClaims: { level: 3 },
        },
        { name: 'read', policies: ['secrets-read'], boundAudiences: ['secrets'], ttl: 600 },
      ],
      groups: [{ name: 'all-jobs', alias: 'jobs', policies: ['secrets-read'] }],
    },
  },
];

describe('components of the package, made with the local engine and the embedded service', () => {
  const home = temporaryFolder();
  const service = started(startEmbeddedService);

  async function run(verb: 'preview' | 'up', given: object[] = components) {
    const directory = fileURLToPath(new URL('./asking-program', import.meta.url));
    const stack = { directory, project: 'asking', main: '.', name: 'test', home, config: new Map() };
    const env = {
      ...process.env,
      VAULT_ADDR: service().address,
      VAULT_TOKEN: service().token,
      COMPONENTS: JSON.stringify(given),
    };
    const request = { stack, dryRun: verb === 'preview', refresh: false, targets: [] };
    const result = await new LocalEngine({ env }).run({ verb: 'up', ...request });
    expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    return result.steps.map(({ op }) => op);
  }

  test('are previewed, made, found again without a change, and deleted', async () => {
    const planned = await run('preview');
    expect(new Set(planned)).toEqual(new Set(['create']));
    expect(await run('up')).toEqual(planned);
    const role = await ask(service(), { method: 'GET', path: 'auth/jobs/role/deploy' });
    expect(role.body.data).toMatchObject({ bound_claims: { level: 3 }, token_policies: ['secrets-read'] });
    expect(new Set(await run('preview'))).toEqual(new Set(['same']));
    expect(new Set(await run('up', []))).toEqual(new Set(['same', 'delete']));
    expect((await ask(service(), { method: 'GET', path: 'auth/jobs/role/deploy' })).status).toBe(404);
  }, 120_000);
});
