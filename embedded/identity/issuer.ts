import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SigningKey } from './signing-key.ts';

/** One issuer under the server: what answers below its path, and the key its tokens are signed with. */
export interface Issuer {
  /** `http://127.0.0.1:<port>/<path>`, to the letter the `iss` of its tokens. */
  url: string;
  key: SigningKey;
  /** Answers a request; `request.url` has been made relative to the issuer, and begins with a slash. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}
