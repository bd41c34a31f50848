import type { Duplex } from 'node:stream';

/** Refuses what is no HTTP, or takes too long, in the same form as all else. `code` is Node's, where there is one. */
export function refuseUnreadable(socket: Duplex, code?: string): void {
  const [status, text] = unreadable[code ?? ''] ?? ['400 Bad Request', 'bad request'];
  const body = JSON.stringify({ errors: [text] });
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
  if (socket.writable) socket.end(`${head}\r\n\r\n${body}`);
  else socket.destroy();
}

const unreadable: Record<string, [status: string, text: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not come in time'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'request header fields too large'],
};
