import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask, type Request } from '../../../harness/ask.ts';
import { startEmbeddedService } from '../../../harness/embedded-service.ts';
import { describeWithOpenBao } from '../../../harness/openbao.ts';

/** The policies of each caller's token. */
const callers: Record<string, string> = {
  root: '',
  operator: `path "auth/staff/role/*" { capabilities = ["read", "create"] }
    path "sys/mounts" { capabilities = ["read"] }
    path "sys/internal/ui/resultant-acl" { capabilities = ["read"] }`,
  segments: `path "auth/+/role/x" { capabilities = ["read"] }
    path "sys/internal/ui/resultant-acl" {
      capabilities = ["read", "update"]
      allowed_parameters = { "a" = ["b"] }
      denied_parameters = { "c" = [] }
      required_parameters = ["a"]
    }`,
  denied:
    'path "auth/staff/config" { capabilities = ["deny"] } path "cubbyhole/x" { capabilities = ["list"] }',
  nobody: 'path "elsewhere" { capabilities = ["read"] }',
};
const paths = [
  'sys/mounts',
  'sys/mounts/sys',
  'sys/mounts/cubbyhole',
  'sys/mounts/nope',
  'sys/mounts/identity/tune',
  'sys/mounts/nope/tune',
  'sys/internal/ui/mounts',
  'sys/internal/ui/mounts/cubbyhole/a/b',
  'sys/internal/ui/mounts/auth/staff',
  'sys/internal/ui/mounts/auth/open/role/x',
  'sys/internal/ui/mounts/auth/token',
  'sys/internal/ui/mounts/nope',
  'sys/internal/ui/resultant-acl',
];

/** Ids that differ with every server, the versions of OpenBao's plugins, and a null that it writes as `{}`. */
const left = /^(accessor|uuid|request_id|plugin_version|running_\w+|deprecation_status)$/;
function comparable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([name]) => !left.test(name));
  return Object.fromEntries(
    entries.map(([name, one]) => [name, name === 'options' ? null : comparable(one)]),
  );
}

describeWithOpenBao('mounts and what may be done are told as OpenBao tells them', (openbao) => {
  let ours: Awaited<ReturnType<typeof startEmbeddedService>>;
  const tokens = new Map<string, string>();
  const servers = () => [ours, openbao()];
  const tokenOf = (server: object, caller: string) =>
    tokens.get(`${servers().indexOf(server as any)} ${caller}`);

  beforeAll(async () => {
    ours = await startEmbeddedService();
    for (const [at, server] of servers().entries()) {
      const call = (method: string, path: string, body?: object) => ask(server, { method, path, body });
      // Only a development server has it.
      if (at === 1) await call('DELETE', 'sys/mounts/secret');
      await call('POST', 'sys/auth/staff', { type: 'jwt', description: 'd' });
      await call('POST', 'sys/auth/open', { type: 'oidc', config: { listing_visibility: 'unauth' } });
      for (const [name, policy] of Object.entries(callers)) {
        await call('POST', `sys/policies/acl/${name}`, { policy });
        const wish = name === 'root' ? {} : { policies: [name], no_default_policy: true };
        const { body } = await call('POST', 'auth/token/create', wish);
        tokens.set(`${at} ${name}`, body.auth.client_token);
      }
      tokens.set(`${at} stranger`, 'unknown');
      tokens.set(`${at} anonymous`, '');
    }
  });
  afterAll(() => ours?.close());

  const table = paths.flatMap((path) =>
    [...Object.keys(callers), 'stranger', 'anonymous'].map((caller) => [path, caller] as const),
  );
  test.each(table)('GET %s for %s', async (path, caller) => {
    const [one, other] = await Promise.all(
      servers().map((server) => {
        const request: Request = { method: 'GET', path, token: tokenOf(server, caller) };
        return ask(server, request);
      }),
    );
    expect(comparable(one)).toEqual(comparable(other));
  });
});
