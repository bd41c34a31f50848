import type { IncomingMessage } from 'node:http';

/**
 * Reads the body of an answer. One that grows too long is broken off, so that it never lies in memory whole.
 *
 * @param maxBytes bytes that it may have
 * @throws Error where it is longer, or the connection is lost before its end
 */
export async function boundedBody(answer: IncomingMessage, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
