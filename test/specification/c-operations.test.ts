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
  const listed = async (query = '') => (await call('LIST', `/${query}`)).body.data?.keys ?? [];

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

    test('filters: active, authenticated, type; omitted means both values', async () => {
      const before = (await create({ authenticated: false })).id;
      const modal = (await create({ type: 'modal' })).id;
      const later = (await create({ start_time: '2027-01-01T00:00:00Z' })).id;
      const sorted = async (query: string) => [...(await listed(query))].sort();
      expect(await sorted('')).toEqual([before, modal, later].sort());
      expect(await sorted('?active=true')).toEqual([before, modal].sort());
      expect(await sorted('?active=false')).toEqual([later]);
      expect(await sorted('?authenticated=false')).toEqual([before]);
      expect(await sorted('?authenticated=true')).toEqual([modal, later].sort());
      expect(await sorted('?type=modal')).toEqual([modal]);
      expect(await sorted('?type=banner&active=true')).toEqual([before]);
    });

    test.each(['?type=popup', '?active=maybe', '?authenticated=yes'])('refuses %s', async (query) => {
      await create();
      expect((await call('LIST', `/${query}`)).status).toBe(400);
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

    test.each(['title', 'message', 'start_time'])('%s is required', async (name) => {
      const answer = await call('POST', '/', { ...least, [name]: undefined });
      expect(answer).toEqual({ status: 400, body: { errors: [`missing ${name} parameter value`] } });
      expect(await listed()).toEqual([]);
    });

    test('Limits: 100 in a namespace; number 101 is an error, and another namespace has its own', async () => {
      for (let count = 0; count < 100; count += 1) await create();
      expect(await call('POST', '/', least)).toEqual({
        status: 400,
        body: { errors: ['failed to create custom message: maximum number of messages already exist'] },
      });
      expect(await listed()).toHaveLength(100);
      await request('POST', 'sys/namespaces/team', { 'X-Secrets-Token': service.token }, {});
      expect((await call('POST', '/', least, 'team')).status).toBe(200);
      expect((await call('LIST', '/', undefined, 'team')).body.data.keys).toHaveLength(1);
    });
  });

  describe('Read', () => {
    test('GET …/:id: exactly its ten fields, options kept as they came', async () => {
      const { id } = await create(whole);
      expect(await read(id)).toEqual({ id, active: true, ...whole });
    });

    test('an unknown id is not found', async () => {
      expect(await call('GET', '/nobody')).toEqual({ status: 404, body: { errors: [] } });
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

    test('body as for create: what is left out goes back to its default', async () => {
      const { id } = await create(whole);
      await call('POST', `/${id}`, least);
      expect(await read(id)).toMatchObject({ link: null, options: null, type: 'banner' });
      expect((await call('POST', `/${id}`, { ...least, title: undefined })).status).toBe(400);
    });
  });

  describe('Delete', () => {
    test('DELETE …/:id: no body, and the message is gone', async () => {
      const { id } = await create();
      expect(await call('DELETE', `/${id}`)).toEqual({ status: 204, body: undefined });
      expect((await call('GET', `/${id}`)).status).toBe(404);
    });
  });

  test('Custom message activity: active by the clock, from start_time until end_time', async () => {
    const { id } = await create({ end_time: '2026-12-02T00:00:00Z' });
    const active: unknown[] = [];
    for (const time of ['2026-11-30T23:59:59Z', start, '2026-12-01T23:59:59Z', '2026-12-02T00:00:00Z']) {
      setClock(time);
      active.push((await read(id)).active);
    }
    expect(active).toEqual([false, true, true, false]);
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
