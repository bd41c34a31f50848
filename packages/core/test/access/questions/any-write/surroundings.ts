import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { certificate } from '../../../../../../test/harness/certificate.ts';
import { type OpenBao, startOpenBao } from '../../../../../../test/harness/openbao-server.ts';
import { lastingPort } from '../../../../../../test/harness/server-process.ts';
import { temporaryFolder } from '../../../../../../test/harness/temporary-folder.ts';
import { reviewOf } from '../../../../../cli/test/review/everyday/sign-ins.ts';
import { listen } from '../../../../../host/src/listen.ts';
import type { Around } from './built-world.ts';
import type { Pair } from './sign-ins.ts';
import { reviewer } from './world.ts';

/** What worlds are made in: an OpenBao that also listens with TLS, and a stand-in for a cluster's token review. */
export interface Surroundings {
  openbao: OpenBao;
  tlsPort: number;
  around: Around;
  /** A certificate of another CA. */
  stranger: Pair;
  close(): Promise<void>;
}

export async function startSurroundings(): Promise<Surroundings> {
  const { cert = '', key = '' } = certificate ?? {};
  const tlsPort = await lastingPort();
  const folder = temporaryFolder({ 'cert.pem': cert, 'key.pem': key });
  const listener = `listener "tcp" {
    address = "127.0.0.1:${tlsPort}"
    tls_cert_file = "${join(folder, 'cert.pem')}"
    tls_key_file = "${join(folder, 'key.pem')}"
  }`;
  writeFileSync(join(folder, 'tls.hcl'), listener);
  const [openbao, cluster] = await Promise.all([startOpenBao(join(folder, 'tls.hcl')), startTokenReview()]);
  return {
    openbao,
    tlsPort,
    stranger: { cert, key },
    around: { cluster: cluster.address, certificate: cert },
    async close() {
      cluster.close();
      await openbao.close();
    },
  };
}

/** A stand-in for the API server of a cluster: it reviews tokens for one account alone, and vouches for each. */
async function startTokenReview() {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const isAllowed = request.headers.authorization === `Bearer ${reviewer}`;
    response.writeHead(isAllowed ? 201 : 403, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isAllowed ? reviewOf(JSON.parse(text).spec.token) : { kind: 'Status' }));
  });
  const address = `http://127.0.0.1:${await listen(server, 0)}`;
  return {
    address,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
