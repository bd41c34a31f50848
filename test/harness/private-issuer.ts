import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  createSigningKey,
  type Issuer,
} from '../../packages/secrets-service/src/identity-provider/issuer.ts';
import { createWorkloadIssuer } from '../../packages/secrets-service/src/identity-provider/workload-issuer.ts';
import { certificate } from './certificate.ts';

/** An issuer of tokens on HTTPS, whose certificate only its own CA vouches for. */
export class PrivateIssuer {
  readonly #server: Server;
  issuer!: Issuer;

  /** The CA that vouches for its certificate. */
  readonly caPem: string;

  constructor() {
    if (certificate === undefined) throw new Error('the certificate is made with openssl');
    this.caPem = certificate.cert;
    this.#server = createServer(certificate, (request, response) => {
      this.issuer.handle(request, response).catch(() => response.destroy());
    });
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const url = `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    this.issuer = createWorkloadIssuer(url, await createSigningKey());
  }

  /** Signs with a new key from now on. The former one stays published. */
  async rotate(): Promise<void> {
    const { url, key } = this.issuer;
    this.issuer = createWorkloadIssuer(url, await createSigningKey(), [key.publicJwk]);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
