import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { asked, bodyOf, limits, lists, patterns, template, texts } from './audit-kinds.ts';
import { pick } from './limited-policies.ts';
import { randomFrom } from './random-policies.ts';
import { type LoggingOpenBao, numberHeader } from './recorded-traffic.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** How a token is made: by a sign-in, or by the token of another source. */
interface TokenSource {
  kind: string;
  /** The sign-in that begins it: `apps/web`; undefined for tokens that root makes by hand. */
  origin?: string;
  /** The namespace of its policies. */
  namespace?: string;
  from?: number;
  make(traffic: AuditTraffic, maker: string): Promise<Made>;
}

/** What came of making a token; without one, it was refused. */
interface Made {
  token?: string;
}

/** A request of traffic. */
export interface TrafficRequest {
  kind: string;
  source: number;
  method: string;
  path: string;
  body?: Record<string, unknown>;
  namespace?: string;
  /** Seconds. */
  wrapping?: number;
}

interface Answer {
  status: number;
  auth?: Record<string, unknown>;
  data?: Record<string, unknown>;
  wrap_info?: Record<string, unknown>;
}

/** Traffic of every kind on a real server, the same for the same seed; and the same tokens and requests made anew. */
export class AuditTraffic {
  readonly server: LoggingOpenBao;
  readonly next: (limit: number) => number;
  readonly sources: TokenSource[] = [];
  readonly written = new Map<string, Record<string, unknown>>();
  tokens: Made[] = [];
  /** All that was sent, by the numbers that it was logged with. */
  readonly sent = new Map<number, TrafficRequest>();
  #number = 0;

  private constructor(server: LoggingOpenBao, seed: number) {
    this.server = server;
    this.next = randomFrom(seed);
  }

  static async begin(server: LoggingOpenBao, seed: number): Promise<AuditTraffic> {
    const traffic = new AuditTraffic(server, seed);
    await traffic.#build();
    // The first sign-in makes an entity, and only the next one puts it into external groups.
    await traffic.makeAll();
    traffic.tokens = await traffic.makeAll();
    return traffic;
  }

  root(method: string, path: string, body?: Record<string, unknown>, namespace = ''): Promise<Answer> {
    return this.ask(this.server.token, { method, path, ...(body && { body }), namespace });
  }

  /** @param number logged with it */
  async ask(
    token: string | undefined,
    { method, path, body, namespace, wrapping }: Omit<TrafficRequest, 'kind' | 'source'>,
    number?: number,
  ): Promise<Answer> {
    const answer = await fetch(`${this.server.address}/v1/${path}`, {
      ...{ method, redirect: 'manual' },
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
    for (const [path, type] of Object.entries({ staff: 'jwt', apps: 'approle', people: 'userpass' }))
      await this.root('POST', `sys/auth/${path}`, { type });
    await this.root('POST', 'auth/staff/config', {
      jwt_validation_pubkeys: [publicKey.export({ type: 'spki', format: 'pem' })],
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
    const signIns: TokenSource[] = [
      { kind: 'approle', origin: 'apps/web', make: (one) => one.#appRole('web', {}) },
      {
        kind: 'approle with a key role',
        origin: 'apps/web',
        make: (one) => one.#appRole('web', { role: 'batch', username: 'x' }),
      },
      { kind: 'approle, wrapped', origin: 'apps/web', make: (one) => one.#appRole('web', {}, 60) },
      { kind: 'batch', origin: 'apps/batch', make: (one) => one.#appRole('batch', { team: 'shop' }) },
      {
        kind: 'userpass',
        origin: 'people/al.ice',
        make: (one) => one.#signIn('auth/people/login/AL.ice', { password: 'x' }),
      },
      {
        kind: 'userpass',
        origin: 'people/bob',
        make: (one) => one.#signIn('auth/people/login/bob', { password: 'x' }),
      },
      {
        kind: 'userpass',
        origin: 'people/eve',
        make: (one) => one.#signIn('auth/people/login/eve', { password: 'x' }),
      },
      {
        kind: 'jwt',
        origin: 'staff/reader',
        make: async (one) => one.#signIn('auth/staff/login', { role: 'reader', jwt: await jwt('zoe') }),
      },
      {
        kind: 'namespace',
        namespace: 'a',
        make: (one) => one.#signIn('auth/up/login/carl', { password: 'x' }, 'a'),
      },
      {
        kind: 'by hand',
        make: (one) =>
          one.#child(one.server.token, 'auth/token/create', { policies: ['p1', 'p2'], period: '1h' }),
      },
    ];
    this.sources.push(...signIns);
    const makers = signIns.flatMap(({ origin, namespace, kind }, from) =>
      namespace === undefined && kind !== 'batch' ? [{ from, origin }] : [],
    );
    for (const { from, origin } of makers) {
      const of = (
        kind: string,
        path: string,
        body: Record<string, unknown>,
        wrapping?: number,
      ): TokenSource => ({
        ...{ kind, from, ...(origin !== undefined && { origin }) },
        make: (one, maker) => one.#child(maker, path, body, wrapping),
      });
      this.sources.push(
        of('child', 'auth/token/create', { meta: { role: 'other' }, display_name: 'kid' }),
        of('child that asks', 'auth/token/create', { policies: this.some(1) }),
        of('child without default', 'auth/token/create', { no_default_policy: true }),
        of('orphan', 'auth/token/create-orphan', {}),
        of('token role', 'auth/token/create/maker', {}),
        of('open token role', 'auth/token/create/open', {}),
        of('batch child', 'auth/token/create', { type: 'batch' }),
        of('wrapped child', 'auth/token/create', {}, 60),
      );
      const child = this.sources.length - 8;
      this.sources.push({
        ...{ kind: 'grandchild', from: child, ...(origin !== undefined && { origin }) },
        make: (one, maker) => one.#child(maker, 'auth/token/create', {}),
      });
    }
  }

  async #appRole(role: string, metadata: Record<string, string>, wrapping?: number): Promise<Made> {
    const id = (await this.root('GET', `auth/apps/role/${role}/role-id`)).data?.['role_id'];
    const secret = await this.root('POST', `auth/apps/role/${role}/secret-id`, {
      metadata: JSON.stringify(metadata),
    });
    return this.#signIn(
      'auth/apps/login',
      { role_id: id, secret_id: secret.data?.['secret_id'] },
      '',
      wrapping,
    );
  }

  async #signIn(
    path: string,
    body: Record<string, unknown>,
    namespace = '',
    wrapping?: number,
  ): Promise<Made> {
    return this.#opened(await this.ask(undefined, { method: 'POST', path, body, namespace, wrapping }), true);
  }

  /** Children are renewed in each way, as agents do. */
  async #child(maker: string, path: string, body: Record<string, unknown>, wrapping?: number): Promise<Made> {
    const answer = await this.ask(maker, {
      method: 'POST',
      path,
      body,
      ...(wrapping !== undefined && { wrapping }),
    });
    return this.#opened(answer, body['type'] !== 'batch');
  }

  async #opened(answer: Answer, isRenewed: boolean): Promise<Made> {
    const wrapped = answer.wrap_info?.['token'];
    const { auth } =
      typeof wrapped === 'string'
        ? await this.ask(wrapped, { method: 'POST', path: 'sys/wrapping/unwrap' })
        : answer;
    const token = auth?.['client_token'];
    if (typeof token !== 'string') return {};
    if (!isRenewed) return { token };
    await this.ask(token, { method: 'POST', path: 'auth/token/renew-self', body: {} });
    await this.root('POST', 'auth/token/renew', { token });
    await this.root('POST', 'auth/token/renew-accessor', { accessor: auth?.['accessor'] });
    return { token };
  }
}

function jwt(sub: string): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 7_200;
  const claims = { sub, groups: ['team'], aud: 'bao', iat: exp - 7_200, exp };
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256' })
    .sign(privateKey);
}
