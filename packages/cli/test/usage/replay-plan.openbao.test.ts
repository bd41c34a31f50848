import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { startOpenBao } from '../../../../test/harness/openbao-server.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { entry, terraform } from '../../../core/test/review/plan/terraform.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { projectFolder, runCommand } from '../running-command.ts';

const auditFolder = temporaryFolder();
const log = join(auditFolder, 'audit.log');
const config = join(auditFolder, 'audit.hcl');
const kinds = (list: string) =>
  `path "secret/data/shop/*" {\n capabilities = ["read", "create", "update"]\n allowed_parameters = { "kind" = [${list}], "*" = [] }\n}`;
const ops = 'path "secret/data/ops/*" { capabilities = ["read", "create", "update"] }';
const stackOf = (address: string) =>
  `config:\n  gatehouse:service: { address: ${address} }\n  gatehouse:providers: []\n`;

/** Changes of one policy each, and which of the requests the service then refuses. */
const changes: [what: string, policy: string, before: string, after: string][] = [
  ['a parameter that it takes', 'shop', kinds('"a", "b"'), kinds('"b"')],
  ['a capability that it takes', 'ops', ops, ops.replace('"read", ', '')],
  ['another rule that allows it', 'ops', ops, ops.replace('ops/*', '*')],
];

describeWithOpenBao(
  'a replay of a real log',
  (server) => {
    const root = () => new ServiceClient({ address: server().address, token: server().token });
    let folder = '';

    /** Alice signs in anew, and sends everything. Gives how many were refused. */
    const sendAll = async () => {
      const people = new ServiceClient({ address: server().address });
      const { auth } = await people.put('auth/people/login/alice', { password: 'hush' });
      const alice = people.with({ token: String(auth?.['client_token']) });
      const requests = [
        () => alice.put('secret/data/shop/1', { data: {}, kind: 'a' }),
        () => alice.put('secret/data/shop/2', { data: {}, kind: 'b' }),
        () => alice.put('secret/data/ops/1', { data: {} }),
        () => alice.read('secret/data/ops/1'),
      ];
      let refused = 0;
      for (const send of requests) await send().catch(() => (refused += 1));
      people.close();
      return refused;
    };

    beforeAll(async () => {
      folder = projectFolder({ 'Pulumi.dev.yaml': stackOf(server().address) });
      await root().put('sys/policies/acl/shop', { policy: kinds('"a", "b"') });
      await root().put('sys/policies/acl/ops', { policy: ops });
      await root().put('sys/auth/people', { type: 'userpass' });
      await root().put('auth/people/users/alice', { password: 'hush', token_policies: ['shop', 'ops'] });
      expect(await sendAll()).toBe(0);
    });

    it.each(changes)('predicts what the service then answers: %s', async (_, name, before, after) => {
      const piped = terraform([
        entry(`vault_policy.${name}`, { before: { name, policy: before }, after: { name, policy: after } }),
      ]);
      const argv = ['review', '-', '-s', 'dev', '--live', '--replay', log, '--hash-with', 'main', '--json'];
      const { out } = await runCommand(argv, { VAULT_TOKEN: server().token }, folder, { piped });
      const { replay } = JSON.parse(out);
      await root().put(`sys/policies/acl/${name}`, { policy: after });
      const refused = await sendAll();
      await root().put(`sys/policies/acl/${name}`, { policy: before });
      expect(replay).toMatchObject({ unknown: { requests: 0 }, onService: true });
      expect(replay.refused.requests > 0).toBe(refused > 0);
      expect(JSON.stringify(replay)).not.toMatch(/alice|hmac|secret/);
    });
  },
  () => {
    writeFileSync(config, `audit "file" "main" {\n  options { file_path = "${log}" }\n}\n`);
    return startOpenBao(config);
  },
);
