import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type SecretsServer, startSecretsService } from '../../../embedded/secrets/server.ts';
import { ask } from '../../harness/ask.ts';
import { MemoryStorage } from '../../harness/memory-storage.ts';
import { makeCertificate } from './certificate.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const rootToken = 'root-of-the-test';
const messages = '/v1/sys/config/ui/custom-messages/';

describe.each(['plain', 'TLS'])('LIST by curl, %s', (kind) => {
  const certificate = kind === 'TLS' ? makeCertificate() : undefined;
  let server: SecretsServer;
  let active: { keys: string[]; key_info: object };
  beforeAll(async () => {
    const storage = new MemoryStorage();
    // Messages are written over plain HTTP, to the same storage.
    const plain = await startSecretsService({ storage, rootToken });
    const create = async (title: string, end_time?: string) => {
      const times = { start_time: '2026-01-01T00:00:00Z', end_time };
      const body = { title, message: 'TQ==', ...times };
      const path = 'sys/config/ui/custom-messages';
      const answer = await ask({ address: plain.address, token: rootToken }, { method: 'POST', path, body });
      return answer.body.data.id as string;
    };
    const id = await create('goes on');
    await create('is over', '2026-01-02T00:00:00Z');
    await plain.close();
    active = {
      keys: [id],
      key_info: {
        [id]: {
          title: 'goes on',
          type: 'banner',
          authenticated: true,
          start_time: '2026-01-01T00:00:00Z',
          end_time: null,
        },
      },
    };
    server = await startSecretsService({ storage, rootToken, tls: certificate });
  });
  afterAll(async () => {
    await server.close();
    certificate?.remove();
  });

  const headers = {
    'X-Secrets-Token': `X-Secrets-Token: ${rootToken}`,
    'X-Vault-Token': `X-Vault-Token: ${rootToken}`,
    Authorization: `Authorization: Bearer ${rootToken}`,
  };
  const requests = {
    'LIST …/?active=true': ['-X', 'LIST', `${messages}?active=true`],
    'LIST …?active=true': ['-X', 'LIST', `${messages.slice(0, -1)}?active=true`],
    'GET …/?list=true&active=true': ['-X', 'GET', `${messages}?list=true&active=true`],
  };
  const table = Object.keys(headers).flatMap((header) =>
    Object.keys(requests).map(
      (request) => [request, header] as [keyof typeof requests, keyof typeof headers],
    ),
  );

  (hasCurl ? test : test.skip).each(table)(
    '%s with %s answers the active message',
    async (request, header) => {
      const options = requests[request].slice(0, -1);
      const url = `${server.address}${requests[request].at(-1)}`;
      const trust = certificate === undefined ? [] : ['--cacert', certificate.certPath];
      const told = ['--silent', '--show-error', '--max-time', '20', '--write-out', '\n%{http_code}'];
      const { stdout } = await promisify(execFile)('curl', [
        ...['--noproxy', '*', ...told, ...trust, ...options],
        ...['--header', headers[header], url],
      ]);
      const [body = '', status] = stdout.split('\n');
      expect([status, JSON.parse(body).data]).toEqual(['200', active]);
    },
  );
});
