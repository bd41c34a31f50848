import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type SecretsServer, startSecretsService } from '../../../embedded/secrets/server.ts';
import { certificate } from '../../harness/certificate.ts';
import { rootToken } from '../../harness/embedded-service.ts';
import { MemoryStorage } from '../../harness/memory-storage.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe.each(['plain', 'TLS'])('LIST by curl, %s', (kind) => {
  let server: SecretsServer;
  beforeAll(async () => {
    server = await startSecretsService({
      storage: new MemoryStorage(),
      rootToken,
      tls: kind === 'TLS' ? certificate : undefined,
    });
  });
  afterAll(() => server.close());

  (hasCurl ? test : test.skip).each([
    ['LIST', ''],
    ['LIST', '/'],
    ['GET', '/?list=true'],
  ])('%s …%s answers the keys', async (method, end) => {
    const { stdout } = await promisify(execFile)('curl', [
      ...['--noproxy', '*', '--silent', '--show-error', '--max-time', '20', '--insecure', '-X', method],
      ...['--header', `X-Secrets-Token: ${rootToken}`, `${server.address}/v1/sys/policies/acl${end}`],
    ]);
    expect(JSON.parse(stdout).data).toEqual({ keys: ['default', 'root'] });
  });
});
