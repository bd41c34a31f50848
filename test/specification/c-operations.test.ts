import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parseInstant } from '../../core/model/values/instant.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';

const start = '2026-12-01T00:00:00Z';
const least = { title: 'Maintenance', message: 'U2F0dXJkYXk=', start_time: start };
const whole = {
  ...least,
  end_time: '2026-12-02T00:00:00Z',
  authenticated: false,
  type: 'modal',
  link: { 'Status page': 'https://status.example.com' },
  options: { colour: 'red', size: { wide: true } },
};

describe('C. UI custom messages, on the embedded service', () => {
  let service: Awaited<ReturnType<typeof startEmbeddedService>>;
  let now: bigint;
  const setClock = (time: string) => {
    now = parseInstant(time)!;
  };

  beforeAll(async () => {
    setClock(start);
    service = await startEmbeddedService({ now: () => now });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    setClock(start);
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
  const call = (method: string, below: string, body?: object, namespace = '') =>
    request(
      method,
      `sys/config/ui/custom-messages${below}`,
      { 'X-Secrets-Token': service.token, ...(namespace === '' ? {} : { 'X-Secrets-Namespace': namespace }) },
      body,
    );
  const create = async (body: object = {}) =>
    (await call('POST', '/', { ...least, ...body })).body.data as Record<string, unknown>;
  const read = async (id: unknown) => (await call('GET', `/${id}`)).body.data;

  describe('List', () => {
    test('LIST …/custom-messages/: keys, and key_info with exactly its five fields', async () => {
      const { id } = await create(whole);
      expect(await call('LIST', '/')).toMatchObject({ status: 200 });
      expect((await call('LIST', '/')).body.data).toEqual({
        keys: [id],
        key_info: {
          [String(id)]: {
            title: 'Maintenance',
            type: 'modal',
            authenticated: false,
            start_time: start,
            end_time: '2026-12-02T00:00:00Z',
          },
        },
      });
    });

    test.each([
      ['LIST', ''],
      ['LIST', '/'],
      ['GET', '?list=true'],
      ['GET', '/?list=true'],
    ])('%s with %j is the same', async (method, below) => {
      const { id } = await create();
      expect((await call(method, below)).body.data.keys).toEqual([id]);
    });
  });

  describe('Create', () => {
    test('POST …/custom-messages/: exactly id, active, start_time, end_time, type, authenticated', async () => {
      expect(await create(whole)).toEqual({
        id: expect.any(String),
        active: true,
        start_time: start,
        end_time: '2026-12-02T00:00:00Z',
        type: 'modal',
        authenticated: false,
      });
    });

    test('the path serves without its trailing slash too', async () => {
      expect((await call('POST', '', least)).status).toBe(200);
    });

    test('defaults: authenticated true, type banner, no end, no link, no options', async () => {
      expect(await read((await create()).id)).toMatchObject({
        authenticated: true,
        type: 'banner',
        end_time: null,
        link: null,
        options: null,
      });
    });
  });

  describe('Read', () => {
    test('GET …/:id: exactly its ten fields, options kept as they came', async () => {
      const { id } = await create(whole);
      expect(await read(id)).toEqual({ id, active: true, ...whole });
    });
  });

  describe('Update', () => {
    test('POST …/:id: exactly active, title, start_time, end_time, type, message, authenticated', async () => {
      const { id } = await create(whole);
      expect((await call('POST', `/${id}`, { ...least, title: 'Other' })).body.data).toEqual({
        active: true,
        title: 'Other',
        start_time: start,
        end_time: null,
        type: 'banner',
        message: 'U2F0dXJkYXk=',
        authenticated: true,
      });
    });
  });

  describe('Delete', () => {
    test('DELETE …/:id: no body, and the message is gone', async () => {
      const { id } = await create();
      expect(await call('DELETE', `/${id}`)).toEqual({ status: 204, body: undefined });
      expect((await call('GET', `/${id}`)).status).toBe(404);
    });
  });

  describe('Authentication 3', () => {
    test.each(['X-Secrets-Token', 'X-Vault-Token'])('%s carries the client token', async (header) => {
      const path = 'sys/config/ui/custom-messages/';
      const { status } = await request('POST', path, { [header]: service.token }, least);
      expect(status).toBe(200);
    });

    test.each(['LIST', 'POST'])('%s without a token is refused', async (method) => {
      const answer = await request(
        method,
        'sys/config/ui/custom-messages/',
        {},
        method === 'POST' ? least : undefined,
      );
      expect(answer.status).toBe(403);
    });

    test('pre-login messages may be read by anonymous clients, post-login ones not', async () => {
      const { id } = await create({ authenticated: false });
      await create({ authenticated: true });
      const open = await request('GET', 'sys/internal/ui/unauthenticated-messages', {});
      expect(open.body.data.keys).toEqual([id]);
      const closed = await request('GET', 'sys/internal/ui/authenticated-messages', {});
      expect(closed.body.data?.keys ?? []).toEqual([]);
    });
  });
});
