import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type BareServer, serveRequests } from '../../../../test/harness/bare-server.ts';
import { isPublicAddress, Outbound } from '../../src/outbound/outbound.ts';

const servers: BareServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(handler: RequestListener): Promise<{ port: number; count: () => number }> {
  let count = 0;
  const server = await serveRequests((request, _body, response) => {
    count += 1;
    handler(request, response);
  });
  servers.push(server);
  return { port: Number(new URL(server.address).port), count: () => count };
}

describe('an address of the public internet', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    'fe80::1',
    'fd00:ec2::254',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
    '2001:db8::1',
  ])('is not %s', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each(['8.8.8.8', '172.32.0.1', '192.0.1.1', '2606:4700::1111', '2a00:1450::1'])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('a call to an address from outside', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://[::1]:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
  ])('does not go to %s by default', async (url) => {
    const { port, count } = await serve((_, response) => response.end());
    const call = new Outbound().request({ method: 'GET', url: url.replace('PORT', `${port}`) });
    await expect(call).rejects.toMatchObject({ code: 'address_refused' });
    expect(count()).toBe(0);
  });

  test.each(['ftp://example.com/', 'file:///etc/passwd', 'https://a:b@example.com/', 'nothing', ''])(
    'does not go to %p',
    async (url) => {
      await expect(new Outbound().request({ method: 'GET', url })).rejects.toMatchObject({
        code: 'address_refused',
      });
    },
  );

  test.each(['http://8.8.8.8/', 'http://platform.example/'])(
    'does not go to %s, where its token could be read on the line',
    async (url) => {
      const lookup = async () => [{ address: '8.8.8.8', family: 4 }];
      const { origin } = new URL(url);
      for (const outbound of [new Outbound({ lookup }), new Outbound({ lookup, allowedOrigins: [origin] })]) {
        const call = outbound.request({ method: 'GET', url });
        await expect(call).rejects.toMatchObject({
          code: 'address_refused',
          message: expect.stringContaining('plain http'),
        });
      }
      expect(() => new Outbound().check(url)).toThrow('plain http');
    },
  );

  test.each(['168.63.129.16', '169.254.169.254', '100.100.100.200', '::ffff:168.63.129.16', 'fd00:ec2::254'])(
    'does not go to %s, which gives credentials to machines, also where its origin is allowed',
    async (address) => {
      const lookup = async () => [{ address, family: 4 }];
      const outbound = new Outbound({ lookup, allowedOrigins: ['http://platform.example'] });
      const call = outbound.request({ method: 'GET', url: 'http://platform.example/' });
      await expect(call).rejects.toMatchObject({ code: 'address_refused' });
      const literal = `http://${address.includes(':') ? `[${address}]` : address}`;
      expect(() => new Outbound({ allowedOrigins: [literal] }).check(literal)).toThrow('credentials');
    },
  );

  test('goes nowhere when one of the addresses of a name is private', async () => {
    const lookup = async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ];
    const call = new Outbound({ lookup }).request({ method: 'GET', url: 'https://both.example/' });
    await expect(call).rejects.toMatchObject({ code: 'address_refused' });
  });

  test('goes to allowed origins only, once there are some, and to those wherever they are', async () => {
    const { port } = await serve((_, response) => response.end('yes'));
    const allowed = `http://127.0.0.1:${port}`;
    const outbound = new Outbound({ allowedOrigins: [allowed] });
    expect((await outbound.request({ method: 'GET', url: `${allowed}/any` })).body.toString()).toBe('yes');
    for (const url of [`http://localhost:${port}/`, `https://127.0.0.1:${port}/`, 'https://example.com/']) {
      await expect(outbound.request({ method: 'GET', url })).rejects.toMatchObject({
        code: 'address_refused',
      });
    }
  });

  test.each([[undefined], [['https://platform.example.com']]])(
    'goes to its own server wherever that is, beside the allowed origins %j',
    async (allowedOrigins) => {
      const { port } = await serve((_, response) => response.end('own'));
      const own: string[] = [];
      const outbound = new Outbound({
        ...(allowedOrigins === undefined ? {} : { allowedOrigins }),
        ownOrigins: () => own,
      });
      const url = `http://127.0.0.1:${port}/`;
      await expect(outbound.request({ method: 'GET', url })).rejects.toMatchObject({
        code: 'address_refused',
      });
      own.push(`http://127.0.0.1:${port}`);
      expect((await outbound.request({ method: 'GET', url })).body.toString()).toBe('own');
      expect(() => outbound.check(url)).not.toThrow();
      // Another port of the same machine is another server.
      expect(() => outbound.check('http://127.0.0.1:1/')).toThrow('may not be called');
    },
  );

  test('connects to the address that was judged, though the name answers otherwise the next time', async () => {
    const { port, count } = await serve((_, response) => response.end('pinned'));
    let asked = 0;
    const outbound = new Outbound({
      allowedOrigins: [`http://moving.example:${port}`],
      lookup: async () => {
        asked += 1;
        return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
      },
    });
    await outbound.request({ method: 'GET', url: `http://moving.example:${port}/` });
    expect([asked, count()]).toEqual([1, 1]);
  });

  test('does not follow a redirect', async () => {
    const { port, count } = await serve((_, response) =>
      response.writeHead(302, { location: '/secret' }).end(),
    );
    const outbound = new Outbound({ allowedOrigins: [`http://127.0.0.1:${port}`] });
    expect((await outbound.request({ method: 'GET', url: `http://127.0.0.1:${port}/` })).status).toBe(302);
    expect(count()).toBe(1);
  });

  test.each<[string, RequestListener]>([
    ['too long', (_, response) => response.end(Buffer.alloc(2048))],
    ['that does not end', (_, response) => response.write('a')],
    ['that does not come', () => {}],
    [
      'that is cut off',
      (request, response) => {
        response.writeHead(200, { 'content-length': 10 });
        response.write('a');
        setTimeout(() => request.socket.destroy(), 20);
      },
    ],
  ])('fails at an answer %s, and never tells what it sent', async (_, handler) => {
    const { port } = await serve(handler);
    const outbound = new Outbound({ allowedOrigins: [`http://127.0.0.1:${port}`] });
    const call = outbound.request({
      method: 'POST',
      url: `http://127.0.0.1:${port}/path?token=in-the-url`,
      headers: { Authorization: 'Bearer a-secret-token' },
      body: 'a secret body',
      timeoutMs: 300,
      maxBytes: 1024,
    });
    const error = await call.catch((problem) => problem);
    expect(error).toMatchObject({ code: 'address_unreachable' });
    expect(error.message).not.toMatch(/secret|in-the-url/);
  });
});
