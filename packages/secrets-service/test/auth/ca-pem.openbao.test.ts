import { createServer, type Server } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask } from '../../../../test/harness/ask.ts';
import { certificate } from '../../../../test/harness/certificate.ts';
import { type CertificateChain, makeCertificateChain } from '../../../../test/harness/certificate-chain.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { verifyProvider } from '../../../cli/src/verify/verify.ts';
import { listen } from '../../../host/src/listen.ts';
import { jwk } from '../conformance/tokens.ts';

// Go takes any certificate of its pool for an anchor: crypto/x509 verify.go.
(certificate === undefined ? describe.skip : describe)('a certificate to trust an issuer by', () => {
  describeWithOpenBao('is taken as by OpenBao', (openbao) => {
    let chain: CertificateChain;
    let issuer: Server;
    let url: string;
    let embedded: Awaited<ReturnType<typeof startEmbeddedService>>;
    beforeAll(async () => {
      chain = makeCertificateChain();
      issuer = createServer({ key: chain.key, cert: chain.cert }, (request, response) => {
        const isKeys = request.url === '/keys';
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify(isKeys ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/keys` }));
      });
      url = `https://127.0.0.1:${await listen(issuer, 0)}`;
      embedded = await startEmbeddedService();
      for (const server of [openbao(), embedded]) {
        await ask(server, { method: 'POST', path: 'sys/auth/ca', body: { type: 'jwt' } });
      }
    });
    afterAll(async () => {
      issuer.close();
      issuer.closeAllConnections();
      await embedded.close();
    });

    test.each([
      ['root', true],
      ['intermediate', true],
      ['leaf', true],
      ['stranger', false],
    ] as const)('%s: %p', async (which, isTrusted) => {
      const caPem = chain[which];
      const byDiscovery = { oidc_discovery_url: url, oidc_discovery_ca_pem: caPem };
      const byKeys = { jwks_url: `${url}/keys`, jwks_ca_pem: caPem };
      const answers = [];
      for (const server of [openbao(), embedded]) {
        for (const body of [byDiscovery, byKeys]) {
          const { status } = await ask(server, { method: 'POST', path: 'auth/ca/config', body });
          answers.push(status < 300);
        }
      }
      const config = { oidcDiscoveryUrl: url, oidcDiscoveryCaPem: caPem };
      const checks = await verifyProvider({ path: 'ca', type: 'jwt', config }, openbao().address);
      answers.push(checks.every(({ outcome }) => outcome !== 'failed'));
      expect(answers).toEqual(Array(5).fill(isTrusted));
    });
  });
});
