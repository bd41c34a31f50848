import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceClient } from '../../../service-client/src/service-client.ts';

export const key = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
}).publicKey;
export const shop = 'path "secret/data/shop/*" {\n  capabilities = ["read"]\n}\n';
export const admin =
  'path "*" {\n  capabilities = ["create", "read", "update", "delete", "list", "sudo"]\n}\n';
export const rule = (path: string) => `path "${path}" { capabilities = ["read"] }\n`;
const policies = { shop, admin, team: rule('secret/data/team'), tools: rule('secret/data/tools') };
const declaredRoles = [
  { name: 'build', policies: ['shop'], boundClaims: { project: '1' }, groupsClaim: '', ttl: '1h' },
  { name: 'reader', policies: ['shop'], boundClaims: { project: '2' }, groupsClaim: 'groups', ttl: '1h' },
];

export type Wire = Record<string, any>;
/** A person with a root token. */
export class Hand {
  readonly client: ServiceClient;
  constructor(client: ServiceClient) {
    this.client = client;
  }
  async read(path: string): Promise<Wire> {
    return (await this.client.read(path))?.data ?? {};
  }
  async write(path: string, body: Wire): Promise<Wire> {
    return (await this.client.put(path, body)).data;
  }
  async group(name: string): Promise<Wire> {
    return await this.read(`identity/group/name/${name}`);
  }
  async accessor(mount: string): Promise<string> {
    return (await this.read('sys/auth'))[`${mount}/`].accessor;
  }
  /** Writes over some fields of what is there; undone, it is written as it was. */
  async change(path: string, fields: Wire): Promise<() => Promise<unknown>> {
    const old = await this.read(path);
    const was = Object.fromEntries(Object.entries(old).filter(([, value]) => value !== null));
    await this.write(path, { ...was, ...fields });
    return async () => {
      if (path.includes('/role/')) await this.client.delete(path);
      await this.write(path, was);
    };
  }
  async make(path: string, body: Wire): Promise<() => Promise<unknown>> {
    await this.write(path, body);
    return () => this.client.delete(path);
  }
  async makeGroup(body: Wire): Promise<{ id: string; undo: () => Promise<unknown> }> {
    const id = String((await this.write('identity/group', body))['id']);
    return { id, undo: () => this.client.delete(`identity/group/id/${id}`) };
  }
  /** Makes a group of the provider that is gone as it was, within the group `all`. */
  async makeAgain({ name, policies, type, alias }: Wire): Promise<void> {
    const { id } = await this.makeGroup({ name, policies, type });
    const { name: of, mount_accessor } = alias;
    await this.write('identity/group-alias', { name: of, mount_accessor, canonical_id: id });
    await this.write(`identity/group/id/${(await this.group('all'))['id']}`, { member_group_ids: [id] });
  }
  async makeEntity(
    name: string,
    policies: string[],
    mount?: string,
  ): Promise<{ id: string; undo(): Promise<unknown> }> {
    const { data } = await this.client.post('identity/entity', { name, policies });
    const id = String(data['id']);
    const mount_accessor = mount === undefined ? undefined : await this.accessor(mount);
    if (mount_accessor !== undefined)
      await this.write('identity/entity-alias', { name, mount_accessor, canonical_id: id });
    return { id, undo: () => this.client.delete(`identity/entity/id/${id}`) };
  }
  async alias(group: string, fields: Wire): Promise<() => Promise<unknown>> {
    const { id, name, mount_accessor, canonical_id } = (await this.group(group))['alias'];
    const was = { name, mount_accessor, canonical_id };
    await this.write(`identity/group-alias/id/${id}`, { ...was, ...fields });
    return () => this.write(`identity/group-alias/id/${id}`, was);
  }
  async withDefault(text: (old: string) => string): Promise<() => Promise<unknown>> {
    const { policy } = await this.read('sys/policies/acl/default');
    await this.write('sys/policies/acl/default', { policy: text(policy) });
    return () => this.write('sys/policies/acl/default', { policy });
  }
}

export const roleBody = (policies: string[], bound_claims?: Wire, groups_claim = '') => ({
  role_type: 'jwt',
  user_claim: 'sub',
  bound_audiences: ['vault'],
  token_policies: policies,
  token_ttl: '1h',
  bound_claims,
  groups_claim,
});

/** What the stack declares, written by hand. */
export async function setUp(hand: Hand): Promise<void> {
  for (const [name, policy] of Object.entries(policies))
    await hand.write(`sys/policies/acl/${name}`, { policy });
  await hand.write('sys/auth/ci', { type: 'jwt' });
  await hand.write('auth/ci/config', {
    jwt_validation_pubkeys: [key],
    bound_issuer: 'https://ci.example.com',
  });
  await hand.write('auth/ci/role/build', roleBody(['shop'], { project: '1' }));
  await hand.write('auth/ci/role/reader', roleBody(['shop'], { project: '2' }, 'groups'));
  const { id } = await hand.makeGroup({ name: 'builders', type: 'external', policies: ['team'] });
  const mount_accessor = await hand.accessor('ci');
  await hand.write('identity/group-alias', { name: 'builders', mount_accessor, canonical_id: id });
  const all = await hand.group('all');
  if (all['id'] === undefined)
    await hand.makeGroup({ name: 'all', policies: ['tools'], member_group_ids: [id] });
  else await hand.write(`identity/group/id/${all['id']}`, { member_group_ids: [id] });
}

/** A project whose stack `prod` declares what `setUp` writes. */
export function declareProject(folder: string, address: string, keys: Wire = {}, service: Wire = {}): void {
  writeFileSync(join(folder, 'Pulumi.yaml'), 'name: sign-in\nruntime: nodejs\n');
  writeFileSync(
    join(folder, 'Pulumi.prod.yaml'),
    JSON.stringify({
      config: {
        'gatehouse:service': { address: address, ...service },
        'gatehouse:providers': [
          {
            kind: 'jwt',
            name: 'ci',
            issuer: 'https://ci.example.com',
            publicKeys: [key],
            audiences: ['vault'],
            roles: declaredRoles,
            groups: [{ name: 'builders', policies: ['team'], alias: 'builders' }],
          },
        ],
        'gatehouse:groups': [{ name: 'all', policies: ['tools'], members: ['builders'] }],
        ...keys,
        'gatehouse:policies': Object.entries(policies).map(([name, policy]) => ({ name, policy })),
      },
    }),
  );
}
