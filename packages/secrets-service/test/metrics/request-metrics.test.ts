import { describe, expect, test } from '@jest/globals';
import { ask } from '../../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { startedForEach } from '../../../../test/harness/started.ts';
import { enableJwt, goodClaims, signed } from '../../../../test/security/jwt-methods.ts';

describe('sys/metrics', () => {
  const server = startedForEach(startEmbeddedService);
  const collect = (token = server().token, format = 'prometheus') =>
    fetch(`${server().address}/v1/sys/metrics?format=${format}`, { headers: { 'X-Vault-Token': token } });
  const series = async () =>
    Object.fromEntries(
      (await (await collect()).text())
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );

  test('counts requests by operation and status', async () => {
    await ask(server(), { method: 'GET', path: 'sys/auth' });
    await ask(server(), { method: 'GET', path: 'sys/auth' });
    await ask(server(), { method: 'GET', path: 'sys/auth', token: 'nobody' });
    await ask(server(), { method: 'GET', path: 'nothing/x' });
    await ask(server(), { method: 'GET', path: 'sys/policies/acl?list=true' });
    await ask(server(), { method: 'DELETE', path: 'sys/policies/acl/x' });
    expect(await series()).toMatchObject({
      'gatehouse_requests_total{operation="read",status="200"}': 2,
      'gatehouse_requests_total{operation="read",status="403"}': 1,
      'gatehouse_requests_total{operation="read",status="404"}': 1,
      'gatehouse_requests_total{operation="list",status="200"}': 1,
      'gatehouse_requests_total{operation="delete",status="204"}': 1,
      // The request for the metrics itself.
      gatehouse_requests_in_flight: 1,
    });
  });

  test('counts sign-ins by method and result, and the tokens that were made', async () => {
    await enableJwt(server(), { path: 'workloads' });
    const sign = (claims: object) => signed({ alg: 'RS256' }, { ...goodClaims(), ...claims });
    for (const jwt of [sign({}), sign({}), sign({ aud: 'elsewhere' }), 'x']) {
      await ask(server(), { method: 'POST', path: 'auth/workloads/login', body: { role: 'people', jwt } });
    }
    await ask(server(), {
      method: 'POST',
      path: 'auth/token/create',
      body: { type: 'batch', policies: 'p' },
    });
    await ask(server(), { method: 'POST', path: 'auth/nobody/login', body: { role: 'people', jwt: 'x' } });
    expect(await series()).toMatchObject({
      'gatehouse_logins_total{mount="workloads",result="signed_in"}': 2,
      'gatehouse_logins_total{mount="workloads",result="refused"}': 2,
      'gatehouse_tokens_created_total{type="service"}': 2,
      'gatehouse_tokens_created_total{type="batch"}': 1,
    });
    expect(Object.keys(await series()).filter((name) => name.includes('nobody'))).toEqual([]);
  });

  test('a renewed token is none that was made', async () => {
    const issued = await ask(server(), {
      method: 'POST',
      path: 'auth/token/create',
      body: { policies: 'p' },
    });
    const body = { token: issued.body.auth.client_token };
    await ask(server(), { method: 'POST', path: 'auth/token/renew', body });
    expect((await series())['gatehouse_tokens_created_total{type="service"}']).toBe(1);
  });

  test('tells what the process takes, as text for Prometheus', async () => {
    const { headers } = await collect();
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const found = await series();
    expect(found['process_resident_memory_bytes']).toBeGreaterThan(10_000_000);
    expect(found['process_cpu_seconds_total']).toBeGreaterThan(0);
  });

  test.each([
    ['without a token', () => collect('nobody'), 403],
    ['in another format', () => collect(undefined, 'zz'), 400],
  ])('is refused %s', async (_, request, status) => {
    expect((await request()).status).toBe(status);
  });
});
