import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { certificate } from '../../../test/harness/certificate.ts';
import { startEmbeddedService } from '../../../test/harness/embedded-service.ts';
import { rawHttp, statusesOf } from '../../../test/harness/raw-http.ts';
import { started } from '../../../test/harness/started.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe.each(['plain', 'TLS'])('LIST, %s', (kind) => {
  const server = started(() => startEmbeddedService({ tls: kind === 'TLS' ? certificate : undefined }));

  (hasCurl ? test : test.skip).each([
    ['LIST', ''],
    ['LIST', '/'],
    ['GET', '/?list=true'],
  ])('by curl: %s …%s answers the keys', async (method, end) => {
    const { stdout } = await promisify(execFile)('curl', [
      '--noproxy',
      '*',
      '--silent',
      '--show-error',
      '--max-time',
      '20',
      '--insecure',
      '-X',
      method,
      '--header',
      `X-Secrets-Token: ${server().token}`,
      `${server().address}/v1/sys/policies/acl${end}`,
    ]);
    expect(JSON.parse(stdout).data).toEqual({ keys: ['default', 'root'] });
  });

  if (kind === 'TLS') return;
  const head = (line: string, ...headers: string[]) =>
    `${[`${line} HTTP/1.1`, 'Host: x', `X-Vault-Token: ${server().token}`, ...headers].join('\r\n')}\r\n\r\n`;
  const list = () => head('LIST /v1/sys/policies/acl');
  const end = () => head('LIST /v1/sys/policies/acl?after=x', 'Connection: close');
  const body = 'LIST /v1/x HTTP/1.1\r\nHost: x\r\n\r\n';
  const withLength = () => head('POST /v1/nothing/x', `Content-Length: ${body.length}`) + body;
  const size = body.length.toString(16);
  const inChunks = () =>
    `${head('PUT /v1/nothing/x', 'Transfer-Encoding: chunked')}${size}\r\n${body}\r\n0\r\nLIST: /v1/x HTTP/1.1\r\n\r\n`;

  const texts: [string, () => string, string[]][] = [
    ['alone', end, ['200']],
    ['after a LIST', () => list() + list() + end(), ['200', '200', '200']],
    ['after a body that begins with LIST', () => withLength() + end(), ['400', '200']],
    ['after chunks and a trailer that begin with LIST', () => inChunks() + end(), ['400', '200']],
    ['after an empty line', () => `\r\n${end()}`, ['200']],
    ['before a GET', () => list() + head('GET /v1/sys/init', 'Connection: close'), ['200', '200']],
    ['not a method that begins like it', () => end().replace('LIST', 'LISTEN'), ['400']],
    ['not its beginning alone', () => `${list()}LIS`, ['200', '400']],
  ];
  test.each(texts)('is answered %s, in one piece and in small ones', async (_, text, statuses) => {
    expect(statusesOf(await rawHttp(server().address, text()))).toEqual(statuses);
    for (const length of [1, 3]) {
      const pieces = text().match(new RegExp(`.{1,${length}}`, 'gs')) ?? [];
      const rest = pieces.splice(10).join('');
      expect(statusesOf(await rawHttp(server().address, ...pieces, rest))).toEqual(statuses);
    }
  });

  test.each([1, 2, 3, 4])('is answered when a chunk ends after %i bytes of it', async (length) => {
    const [first, second] = [list(), end()];
    const pieces = [first + second.slice(0, length), second.slice(length)];
    expect(statusesOf(await rawHttp(server().address, ...pieces))).toEqual(['200', '200']);
  });
});
