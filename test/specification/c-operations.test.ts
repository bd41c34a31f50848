import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parseInstant } from '../../packages/core/src/graph/values/instant.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';

const start = '2026-12-01T00:00:00Z';
const least = { title: 'Maintenance', message: 'U2F0dXJkYXk=', start_time: start };
const whole = {
  ...least,
  end_time: '2026-12-02T00:00:00Z',
  authenticated: false,
  type: 'modal',
  link: { 'Status page': 'https://status.example.com' },
  options: { color: 'red', size: { wide: true } },
};

describe('C. UI custom messages, on the embedded service', () => {
  let service: Awaited<ReturnType<typeof startEmbeddedService>>;
  beforeAll(async () => {
    const now = parseInstant(start)!;
    service = await startEmbeddedService({ now: () => now });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    for (const id of (await call('LIST', '/')).body.data?.keys ?? []) await call('DELETE', `/${id}`);
  });

  async function request(method: string, path: string, headers: Record<string, string>, body?: object) {
    const response = await fetch(`${service.address}/v1/${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as any };
  }
  const call = (method: string, below: string, body?: object) =>
    request(method, `sys/config/ui/custom-messages${below}`, { 'X-Secrets-Token': service.token }, body);
  const create = async (body: object = {}) =>
    (await call('POST', '/', { ...least, ...body })).body.data as Record<string, unknown>;
  const read = async (id: unknown) => (await call('GET', `/${id}`)).body.data;

  describe('List', () => {
    test('LIST …/custom-messages/: keys, and key_info with exactly its five fields', async () => {
      const { id } = await create(whole);
      expect(await call('LIST', '/')).toMatchObject({ status: 200 });
      const { message: _, link: _link, options: _options, ...info } = whole;
      const { data } = (await call('LIST', '/')).body;
      expect(data).toEqual({ keys: [id], key_info: { [String(id)]: info } });
    });
  });

  describe('Create', () => {
    test('POST …/custom-messages/: exactly id, active, start_time, end_time, type, authenticated', async () => {
      const { start_time, end_time, type, authenticated } = whole;
      const given = { start_time, end_time, type, authenticated };
      expect(await create(whole)).toEqual({ id: expect.any(String), active: true, ...given });
    });
  });

  test('Read: GET …/:id: exactly its ten fields, options kept as they came', async () => {
    const { id } = await create(whole);
    expect(await read(id)).toEqual({ id, active: true, ...whole });
  });

  test('Update: POST …/:id: exactly active, title, start_time, end_time, type, message, authenticated', async () => {
    const { id } = await create(whole);
    const other = { ...least, title: 'Other' };
    const defaults = { end_time: null, type: 'banner', authenticated: true };
    const { data } = (await call('POST', `/${id}`, other)).body;
    expect(data).toEqual({ active: true, ...other, ...defaults });
  });

  test('Delete: DELETE …/:id: no body, and the message is gone', async () => {
    const { id } = await create();
    expect(await call('DELETE', `/${id}`)).toEqual({ status: 204, body: undefined });
    expect((await call('GET', `/${id}`)).status).toBe(404);
  });

  describe('Authentication 3', () => {
    test.each(['LIST', 'POST'])('%s without a token is refused', async (method) => {
      const body = method === 'POST' ? least : undefined;
      const { status } = await request(method, 'sys/config/ui/custom-messages/', {}, body);
      expect(status).toBe(403);
    });

    test('pre-login messages may be read by anonymous clients, post-login ones not', async () => {
      const { id } = await create({ authenticated: false });
      await create({ authenticated: true });
      const answer = await request('GET', 'sys/internal/ui/unauthenticated-messages', {});
      expect(answer.body.data.keys).toEqual([id]);
      const closed = await request('GET', 'sys/internal/ui/authenticated-messages', {});
      expect(closed.body.data?.keys ?? []).toEqual([]);
    });
  });
});
