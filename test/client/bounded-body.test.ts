import { createServer, get, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { boundedBody } from '../../client/bounded-body.ts';
import { listen } from '../../web/listen.ts';

describe('the body of an answer', () => {
  let server: Server;
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });
  const answerOf = async (listener: RequestListener) => {
    server = createServer(listener);
    const port = await listen(server, 0);
    return await new Promise<IncomingMessage>((resolve, reject) => {
      get(`http://127.0.0.1:${port}`, { agent: false }, resolve).on('error', reject);
    });
  };

  test('is read whole, up to the last byte that it may have', async () => {
    const answer = await answerOf((_, response) => {
      response.write('abc');
      response.end('def');
    });
    expect((await boundedBody(answer, 6)).toString()).toBe('abcdef');
  });

  test('is broken off where it is longer, however much is to come', async () => {
    const { promise: brokenOff, resolve } = Promise.withResolvers<void>();
    const answer = await answerOf((_, response) => {
      response.on('close', resolve);
      response.write('abcdefg');
    });
    await expect(boundedBody(answer, 6)).rejects.toThrow('the answer is longer than 6 bytes');
    await brokenOff;
  });

  test('that ends before its end is none', async () => {
    const answer = await answerOf((_, response) => {
      response.writeHead(200, { 'content-length': '6' });
      response.write('abc', () => response.destroy());
    });
    await expect(boundedBody(answer, 6)).rejects.toThrow('aborted');
  });
});
