import { Agent, request } from 'node:https';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import acme from 'acme-client';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { startTextRecords, type TextRecords } from '../../../../../test/harness/text-records.ts';
import { startTrafficOpenBao, type TrafficOpenBao } from '../../../../../test/harness/traffic-openbao.ts';
import { readLiveGraph } from '../../../../service-client/src/live-graph.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { alsoWords } from '../../../src/words/also-words.ts';
import { entry, terraform } from '../../review/plan/terraform.ts';
import { Requests } from './split-worlds/service.ts';

const name = 'admin.example.com';

describeWithOpenBao(
  'orders over ACME, which need no token',
  (server) => {
    const traffic = () => server() as TrafficOpenBao;
    let bao: Requests;
    let client: ServiceClient;
    let records: TextRecords;
    let authority = '';

    beforeAll(async () => {
      bao = new Requests(server(), 4);
      client = new ServiceClient({ address: server().address, token: server().token });
      records = await startTextRecords();
      const headers = ['Last-Modified', 'Location', 'Replay-Nonce', 'Link'];
      await bao.write('sys/mounts/pki', { type: 'pki', config: { allowed_response_headers: headers } });
      const root = await bao.write('pki/root/generate/internal', { common_name: 'root', key_type: 'ec' });
      authority = String(root['certificate']);
      await bao.write('pki/config/cluster', { path: `${traffic().tls}/v1/pki` });
      const example = { allowed_domains: ['example.com'], allow_subdomains: true };
      await bao.write('pki/roles/web', { ...example, key_type: 'any', ttl: '1h' });
      await bao.write('sys/policies/acl/admin', { policy: 'path "kv/admin" { capabilities = ["read"] }' });
      await bao.write('sys/auth/cert', { type: 'cert' });
    });
    afterAll(async () => {
      records.close();
      client.close();
      await bao.close();
    });

    const certificateRole = () => ({
      backend: 'cert',
      name: 'adm',
      certificate: authority,
      allowed_common_names: [name],
      token_policies: ['admin'],
    });

    /** What a plan that makes a certificate role says of people without a token. */
    async function said(): Promise<string[]> {
      const plan = terraform([entry('vault_cert_auth_backend_role.adm', { after: certificateRole() })]);
      const { graph, ids } = await readLiveGraph(client, { messages: false, whole: true, sources: true });
      const live = { graph, ids, missing: [], namespace: '' };
      const { access } = review(readPlan(plan), { now: BigInt(Date.now()) * 1_000_000n, live });
      const ofAnyone = access.filter(({ principals: { kind } }) => kind === 'anyone');
      return ofAnyone.flatMap(({ also }) => also.map(({ what }) => alsoWords(what)));
    }

    /** A certificate that someone orders who has no token, and shows that the name is theirs. */
    async function ordered(): Promise<{ cert: string; key: string }> {
      acme.axios.defaults.httpsAgent = new Agent({ ca: traffic().certificate.cert });
      const orders = new acme.Client({
        directoryUrl: `${traffic().tls}/v1/pki/acme/directory`,
        accountKey: await acme.crypto.createPrivateEcdsaKey(),
        backoffAttempts: 50,
        backoffMin: 50,
        backoffMax: 200,
      });
      const [key, csr] = await acme.crypto.createCsr(
        { commonName: name, altNames: [name] },
        await acme.crypto.createPrivateEcdsaKey(),
      );
      const cert = await orders.auto({
        csr,
        termsOfServiceAgreed: true,
        skipChallengeVerification: true,
        challengePriority: ['dns-01'],
        challengeCreateFn: async ({ identifier }, _, text) => {
          records.texts.set(`_acme-challenge.${identifier.value}`, text);
        },
        challengeRemoveFn: async () => {},
      });
      return { cert, key: key.toString() };
    }

    /** What a sign-in over TLS with a certificate answers. */
    function signsIn(issued: { cert: string; key: string }): Promise<string> {
      return new Promise((resolve, reject) => {
        const options = { method: 'POST', ca: traffic().certificate.cert, ...issued };
        const sent = request(`${traffic().tls}/v1/auth/cert/login`, options, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          answer.on('end', () => resolve(text));
        });
        sent.on('error', reject).end('{}');
      });
    }

    it.each([
      [
        true,
        [
          'orders certificates at pki/acme/new-order, which signs in as role adm of cert: gains read kv/admin',
        ],
        '"admin"',
      ],
      [false, [], 'incompatible key usage'],
    ])(
      'sign in where their certificates are for clients (%s), and nowhere else',
      async (isForClients, lines, answer) => {
        await bao.write('pki/config/acme', {
          enabled: true,
          eab_policy: 'not-required',
          default_directory_policy: 'role:web',
          dns_resolver: records.address,
          allow_role_ext_key_usage: isForClients,
        });
        await bao.send('DELETE', 'auth/cert/certs/adm');
        expect(await said()).toEqual(lines);
        await bao.write('auth/cert/certs/adm', certificateRole());
        expect(await signsIn(await ordered())).toContain(answer);
      },
    );
  },
  startTrafficOpenBao,
);
