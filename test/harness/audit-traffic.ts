import { Agent, fetch } from 'undici';
import { asked, bodyOf, limits, lists, patterns, template, texts } from './audit-kinds.ts';
import {
  type Answer,
  childrenOf,
  type Made,
  publicKeyPem,
  signIns,
  type TokenSource,
  type TrafficCall,
  type TrafficServer,
} from './audit-sources.ts';
import { pick } from './limited-policies.ts';
import { randomFrom } from './random-policies.ts';
import { numberHeader } from './recorded-traffic.ts';
import type { TrafficOpenBao } from './traffic-openbao.ts';

/** A request of traffic. */
export interface TrafficRequest extends TrafficCall {
  kind: string;
  source: number;
}

/** Traffic of every kind on a real server, the same for the same seed; and the same tokens and requests made anew. */
export class AuditTraffic implements TrafficServer {
  readonly server: TrafficOpenBao;
  readonly next: (limit: number) => number;
  readonly sources: TokenSource[] = [];
  readonly written = new Map<string, Record<string, unknown>>();
  tokens: Made[] = [];
  /** All that was sent, by the numbers that it was logged with. */
  readonly sent = new Map<number, TrafficRequest>();
  readonly #agent: Agent;
  #number = 0;

  private constructor(server: TrafficOpenBao, seed: number) {
    this.server = server;
    const { cert, key } = server.certificate;
    this.#agent = new Agent({ connect: { ca: cert, cert, key } });
    this.next = randomFrom(seed);
  }

  static async begin(server: TrafficOpenBao, seed: number): Promise<AuditTraffic> {
    const traffic = new AuditTraffic(server, seed);
    await traffic.#build();
    // The first sign-in makes an entity, and only the next one puts it into external groups.
    const first = await traffic.makeAll();
    await traffic.#merge();
    const merged = signIns.findIndex(({ kind }) => kind === 'certificate');
    traffic.tokens = (await traffic.makeAll()).map((one, at) => (at === merged ? (first[at] ?? one) : one));
    return traffic;
  }

  get rootToken(): string {
    return this.server.token;
  }

  root(method: string, path: string, body?: Record<string, unknown>, namespace = ''): Promise<Answer> {
    return this.ask(this.server.token, { method, path, ...(body && { body }), namespace });
  }

  /** @param number logged with it */
  ask(token: string | undefined, call: TrafficCall, number?: number): Promise<Answer> {
    return this.#ask(this.server.address, token, call, number);
  }

  askCertified(call: TrafficCall): Promise<Answer> {
    return this.#ask(this.server.tls, undefined, call);
  }

  async #ask(
    address: string,
    token: string | undefined,
    { method, path, body, namespace, wrapping }: TrafficCall,
    number?: number,
  ): Promise<Answer> {
    const answer = await fetch(`${address}/v1/${path}`, {
      method,
      redirect: 'manual',
      dispatcher: this.#agent,
      headers: {
        ...(token !== undefined && { 'x-vault-token': token }),
        ...(namespace && { 'x-vault-namespace': namespace }),
        ...(wrapping !== undefined && { 'x-vault-wrap-ttl': `${wrapping}s` }),
        ...(number !== undefined && { [numberHeader]: String(number) }),
        ...(method === 'PATCH' && { 'content-type': 'application/merge-patch+json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, ...(text.startsWith('{') ? JSON.parse(text) : {}) };
  }

  /** Writes what a change may write again. */
  async write(path: string, body: Record<string, unknown>): Promise<Answer> {
    this.written.set(path, body);
    return this.root('POST', path, body);
  }

  /** A change of one policy, or of the policies of a role, a user, a group or an entity. */
  change(): { path: string; body: Record<string, unknown>; was: Record<string, unknown> } {
    const [path, was] = pick(this.next, [...this.written]);
    const field =
      ['policy', 'token_policies', 'policies', 'allowed_policies'].find((one) => one in was) ?? '';
    return { path, was, body: { ...was, [field]: field === 'policy' ? this.text() : this.some() } };
  }

  text(): string {
    const rules = Array.from({ length: 5 + this.next(5) }, () => {
      const [path, capabilities, limit] = [
        pick(this.next, patterns),
        pick(this.next, lists),
        pick(this.next, limits),
      ];
      return `path ${JSON.stringify(path)} { capabilities = ${JSON.stringify(capabilities)} ${limit} }`;
    });
    const making = 'path "auth/token/*" { capabilities = ["create", "update"] }';
    return [...rules, ...(this.next(5) > 0 ? [making] : []), ...(this.next(8) === 0 ? [template] : [])].join(
      '\n',
    );
  }

  some(most = 3): string[] {
    return [...new Set(Array.from({ length: 1 + this.next(most) }, () => pick(this.next, texts)))];
  }

  /** Makes all tokens anew, each in its way. */
  async makeAll(): Promise<Made[]> {
    const found: Made[] = [];
    for (const source of this.sources) {
      const maker = source.from === undefined ? '' : found[source.from]?.token;
      found.push(maker === undefined ? {} : await source.make(this, maker));
    }
    return found;
  }

  /** Each kind of request by each kind of source first, then others at random, in no order. */
  requests(count: number): TrafficRequest[] {
    const usable = this.sources.flatMap((_, at) => (this.tokens[at]?.token === undefined ? [] : [at]));
    const bySource = [...Map.groupBy(usable, (at) => this.sources[at]?.kind ?? '').values()];
    const byKind = [...Map.groupBy(asked, ([kind]) => kind).values()];
    const pairs = byKind.flatMap((some) => bySource.map((sources) => ({ some, sources })));
    const rest = Array.from({ length: Math.max(0, count - pairs.length) }, () => ({
      some: asked,
      sources: usable,
    }));
    const all = [...pairs, ...rest].map((one) => ({ ...one, order: this.next(2 ** 30) }));
    all.sort((one, other) => one.order - other.order);
    return all.map(({ some, sources }) => {
      const [kind, method, path] = pick(this.next, some);
      const source = pick(this.next, sources);
      const { namespace: own } = this.sources[source] ?? {};
      const there = own ?? pick(this.next, ['', '', '', 'a', 'a/b', 'a/b/c']);
      const namespace = /^(?:pki|deep|transit|secret)/.test(path) ? (own ?? '') : there;
      const fields = pick(this.next, [{}, { x: 1 }, { x: 3 }, { y: 1 }, { x: 2, y: true }]);
      const policies = pick(this.next, [{}, {}, { policies: this.some(1) }]);
      const body =
        method !== 'POST' && method !== 'PATCH'
          ? undefined
          : path.includes('create')
            ? policies
            : { ...bodyOf(path), ...fields };
      const wrapping = this.next(10) === 0 ? pick(this.next, [20, 120]) : undefined;
      return {
        kind,
        source,
        method,
        path,
        namespace,
        ...(body && { body }),
        ...(wrapping !== undefined && { wrapping }),
      };
    });
  }

  /** @returns the numbers that the requests were logged with; undefined where no token could be made */
  async sendAll(
    requests: readonly TrafficRequest[],
    tokens: readonly Made[] = this.tokens,
  ): Promise<(number | undefined)[]> {
    const numbers: (number | undefined)[] = [];
    for (const request of requests) {
      const token = tokens[request.source]?.token;
      if (token === undefined) numbers.push(undefined);
      else {
        this.#number += 1;
        numbers.push(this.#number);
        this.sent.set(this.#number, request);
        const { wrap_info: wrapped } = await this.ask(token, request, this.#number);
        const wrapping = wrapped?.['token'];
        // A third of what was wrapped is unwrapped: by the wrapping token, or by that which asked.
        if (typeof wrapping !== 'string' || request.namespace) continue;
        if (this.#number % 3 === 0) await this.ask(wrapping, { method: 'POST', path: 'sys/wrapping/unwrap' });
        if (this.#number % 3 === 1)
          await this.ask(token, { method: 'POST', path: 'sys/wrapping/unwrap', body: { token: wrapping } });
      }
    }
    return numbers;
  }

  async #build(): Promise<void> {
    await this.root('POST', `sys/config/auditing/request-headers/${numberHeader}`, { hmac: false });
    const mounts = { kv: 'kv', pki: 'pki', 'deep/ca': 'pki', transit: 'transit' };
    for (const [path, type] of Object.entries(mounts))
      await this.root('POST', `sys/mounts/${path}`, { type });
    await this.root('POST', 'transit/keys/key', {});
    for (const [path, type] of Object.entries({
      staff: 'jwt',
      apps: 'approle',
      people: 'userpass',
      machines: 'cert',
    }))
      await this.root('POST', `sys/auth/${path}`, { type });
    await this.root('POST', 'auth/staff/config', {
      jwt_validation_pubkeys: [publicKeyPem],
    });
    for (const [above, name] of [
      ['', 'a'],
      ['a', 'b'],
      ['a/b', 'c'],
    ] as const) {
      await this.root('POST', `sys/namespaces/${name}`, {}, above);
      const namespace = above === '' ? name : `${above}/${name}`;
      await this.root('POST', 'sys/mounts/kv', { type: 'kv' }, namespace);
    }
    for (const name of texts) await this.write(`sys/policies/acl/${name}`, { policy: this.text() });
    await this.#identities();
    await this.#addSources();
  }

  async #identities(): Promise<void> {
    const accessor = (await this.root('GET', 'sys/auth/people')).data?.['accessor'];
    const known = await this.write('identity/entity/name/known', { name: 'known', policies: this.some(1) });
    await this.root('POST', 'identity/entity-alias', {
      name: 'al.ice',
      mount_accessor: accessor,
      canonical_id: known.data?.['id'],
    });
    const group = {
      name: 'circle',
      type: 'internal',
      policies: this.some(1),
      member_entity_ids: [known.data?.['id']],
    };
    await this.write('identity/group/name/circle', group);
    const staff = (await this.root('GET', 'sys/auth/staff')).data?.['accessor'];
    const team = await this.write('identity/group/name/team', {
      name: 'team',
      type: 'external',
      policies: this.some(1),
    });
    await this.root('POST', 'identity/group-alias', {
      name: 'team',
      mount_accessor: staff,
      canonical_id: team.data?.['id'],
    });
  }

  async #addSources(): Promise<void> {
    await this.write('auth/apps/role/web', { token_policies: this.some(), token_period: 3_600 });
    await this.write('auth/apps/role/batch', { token_policies: this.some(), token_type: 'batch' });
    await this.write('auth/people/users/al.ice', { password: 'x', token_policies: this.some() });
    // Random policies may let no one make a token in some way.
    const makes = 'path "auth/token/*" { capabilities = ["create", "update", "sudo"] }';
    await this.root('POST', 'sys/policies/acl/makes', { policy: makes });
    await this.write('auth/people/users/eve', { password: 'x', token_policies: ['makes'] });
    await this.write('auth/people/users/bob', { password: 'x', token_policies: this.some() });
    const role = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['bao'], groups_claim: 'groups' };
    await this.write('auth/staff/role/reader', { ...role, token_policies: this.some() });
    await this.write('auth/token/roles/maker', { allowed_policies: this.some(), orphan: false });
    await this.root('POST', 'auth/token/roles/open', {});
    await this.root('POST', 'sys/auth/up', { type: 'userpass' }, 'a');
    await this.root('POST', 'sys/policies/acl/own', { policy: this.text() }, 'a');
    await this.root('POST', 'auth/up/users/carl', { password: 'x', token_policies: ['own'] }, 'a');
    await this.write('auth/machines/certs/shop', {
      certificate: this.server.certificate.cert,
      token_policies: this.some(),
    });
    this.sources.push(...signIns);
    for (const [from, source] of signIns.entries())
      if (source.namespace === undefined && source.kind !== 'batch')
        this.sources.push(...childrenOf(source, from, this.sources.length, this.some(1)));
  }

  /** Whose certificate it is turns out to be one who was known already. */
  async #merge(): Promise<void> {
    const { accessor } = (await this.root('GET', 'sys/auth/machines')).data ?? {};
    const alias = { alias_name: '127.0.0.1', alias_mount_accessor: accessor };
    const { id } = (await this.root('POST', 'identity/lookup/entity', alias)).data ?? {};
    const known = (await this.root('GET', 'identity/entity/name/known')).data ?? {};
    await this.root('POST', 'identity/entity/merge', {
      from_entity_ids: [id],
      to_entity_id: known['id'],
    });
  }
}
