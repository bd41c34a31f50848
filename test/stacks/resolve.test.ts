import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseEnvironment } from '../../core/model/environment.ts';
import { resolve } from '../../stacks/environment.ts';

const environment = (more: Record<string, unknown>) =>
  parseEnvironment({ service: { address: 'https://secrets.example.com' }, ...more });
const cluster = (more: Record<string, unknown>) =>
  environment({ providers: [{ kind: 'container_orchestrator', name: 'cluster', ...more }] });

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString().trim();
const jwks = JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] });

describe('resolve', () => {
  let directory: string;
  let server: Server;
  let address: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'gatehouse-resolve-'));
    writeFileSync(join(directory, 'read.hcl'), 'path "a" {}');
    server = createServer(({ url }, response) => {
      response.end(url === '/openid/v1/jwks' ? jwks : '{"issuer":"https://oidc.cluster.example.com"}');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  test('reads policy files below the folder of Pulumi.yaml', async () => {
    const given = environment({ policies: [{ name: 'read', file: 'read.hcl' }] });
    expect((await resolve(given, directory)).policies).toEqual([{ name: 'read', policy: 'path "a" {}' }]);
  });

  test('keeps which rules of a policy file end, and refuses an end of a rule that it does not have', async () => {
    const ending = (pattern: string) =>
      environment({ policies: [{ name: 'read', file: 'read.hcl', until: { [pattern]: '2026-12-31' } }] });
    expect((await resolve(ending('a'), directory)).policies).toEqual([
      { name: 'read', policy: 'path "a" {}', until: { a: '2026-12-31' } },
    ]);
    await expect(resolve(ending('b'), directory)).rejects.toMatchObject({
      code: 'environment_invalid',
      parts: {
        where: 'gatehouse:policies[0].until.b',
        what: expect.stringContaining('has no rule path "b" { … }'),
      },
    });
  });

  test('leaves inline policies as they are', async () => {
    const given = environment({ policies: [{ name: 'read', policy: 'path "b" {}' }] });
    expect((await resolve(given, directory)).policies).toEqual([{ name: 'read', policy: 'path "b" {}' }]);
  });

  test.each([
    ['a file that is not there', 'gone.hcl', 'cannot read policy file'],
    ['a file outside the project', '../read.hcl', 'policy file is outside the project'],
    ['a file that leads outside', 'a/../../read.hcl', 'policy file is outside the project'],
    ['an absolute path', '/etc/read.hcl', 'policy file is outside the project'],
  ])('refuses %s', async (_, file, said) => {
    const given = environment({ policies: [{ name: 'read', file }] });
    await expect(resolve(given, directory)).rejects.toMatchObject({
      code: 'policy_file_unreadable',
      message: expect.stringContaining(`gatehouse:policies[0].file: ${said}`),
    });
  });

  test('refuses a capability that no server knows, by the file', async () => {
    writeFileSync(join(directory, 'reed.hcl'), 'path "a" { capabilities = ["reed"] }');
    const given = environment({ policies: [{ name: 'read', file: 'reed.hcl' }] });
    await expect(resolve(given, directory)).rejects.toMatchObject({
      code: 'environment_invalid',
      message: expect.stringMatching(
        /^reed\.hcl: gatehouse:policies\[0\]\.file: path "a": `reed` is no capability; did you mean `read`\?/,
      ),
    });
  });

  test('takes a file whose name begins with two dots for one of the project', async () => {
    writeFileSync(join(directory, '..read.hcl'), 'path "c" {}');
    const given = environment({ policies: [{ name: 'read', file: '..read.hcl' }] });
    expect((await resolve(given, directory)).policies).toEqual([{ name: 'read', policy: 'path "c" {}' }]);
  });

  test('reads the issuer of a cluster of which the address is given', async () => {
    const [provider] = (await resolve(cluster({ apiServer: address }), directory)).providers;
    expect(provider).toMatchObject({ issuer: 'https://oidc.cluster.example.com' });
    expect(provider).not.toHaveProperty('apiServer');
  });

  test('asks no cluster of which the issuer is given', async () => {
    const given = cluster({ apiServer: 'http://127.0.0.1:1', issuer: 'https://issuer.example.com' });
    const [provider] = (await resolve(given, directory)).providers;
    expect(provider).toMatchObject({ issuer: 'https://issuer.example.com' });
  });

  test('converts the keys of a JWKS document to PEM', async () => {
    const [provider] = (await resolve(cluster({ jwks: JSON.parse(jwks) }), directory)).providers;
    expect((provider as { publicKeys?: string[] }).publicKeys?.map((key) => key.trim())).toEqual([pem]);
    expect(provider).not.toHaveProperty('jwks');
  });

  const keysOf = async (given: Record<string, unknown>) => {
    const [provider] = (await resolve(cluster(given), directory)).providers;
    return (provider as { publicKeys?: string[] }).publicKeys?.map((key) => key.trim());
  };

  test('takes the keys of a JWKS file below the folder of Pulumi.yaml', async () => {
    writeFileSync(join(directory, 'keys.json'), jwks);
    expect(await keysOf({ jwksFile: 'keys.json', issuer: 'https://issuer.example.com' })).toEqual([pem]);
  });

  test.each([
    ['that is not there', 'gone.json', 'cannot read JWKS file'],
    ['outside the project', '../keys.json', 'JWKS file is outside the project'],
    ['of something else', 'read.hcl', 'this file holds no JWKS document'],
  ])('refuses a JWKS file %s, and says how to write it', async (_, jwksFile, said) => {
    await expect(keysOf({ jwksFile })).rejects.toMatchObject({
      code: 'jwks_file_unreadable',
      message: expect.stringMatching(
        new RegExp(`provider "cluster", jwksFile: ${said}.*kubectl get --raw /openid/v1/jwks`, 's'),
      ),
    });
  });

  test('reads the keys of a cluster, and its issuer beside them', async () => {
    const given = cluster({ apiServer: `${address}/`, keysFromCluster: true, roles: [] });
    const [provider] = (await resolve(given, directory)).providers;
    expect(provider).toMatchObject({
      issuer: 'https://oidc.cluster.example.com',
      publicKeys: [expect.stringContaining('BEGIN PUBLIC KEY')],
    });
    expect(provider).not.toHaveProperty('keysFromCluster');
  });

  test('reads no keys of a cluster where that is switched off', async () => {
    const given = { apiServer: address, keysFromCluster: false };
    const [provider] = (await resolve(cluster(given), directory)).providers;
    expect(provider).not.toHaveProperty('publicKeys');
    expect(provider).not.toHaveProperty('keysFromCluster');
  });
});
