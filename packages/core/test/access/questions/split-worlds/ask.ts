import { generateKeyPairSync, sign } from 'node:crypto';
import { type Asked, askedIn, isFilled, nameOf, namesIn } from './asked.ts';
import { isAppRole } from './plan.ts';
import type { Requests } from './service.ts';
import type { Claims, Of, Person, Resources, World } from './world.ts';

const pairs = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
/** Keys that providers sign with. Every mount trusts the first. */
export const publicKeys = pairs.map(
  ({ publicKey }) => publicKey.export({ type: 'spki', format: 'pem' }) as string,
);

/** Among what a token gets: that it is there. */
export const signsIn = 'signs in';

/** What labels of tokens begin with that are got by signing in with what another one reads. */
export const reading = 'reading ';

/** What a token gets: requests by their names; and how long it lives, where roles and mounts say that. */
export type Allowed = ReadonlySet<string>;

/** A token of a sign-in. */
interface Token {
  /** `p0 by j1-r`: a person and the role. */
  by: string;
  text: string;
  /** Policies of its own. */
  life: string[];
}

/** What people get: by who signs in where, then by the sign-ins that their groups are from. */
export type Answers = Map<string, Map<string, Allowed>>;

/** Asks an OpenBao for all that the people of one world get, signing in anew. */
export class Asking {
  readonly #requests: Requests;
  readonly #world: World;
  readonly #asked: Asked[][];
  /** By policies, and entity where templates are filled in: forgotten where the texts change. */
  readonly #known = new Map<string, Promise<Allowed>>();
  #kept: Token[] = [];
  /** What tokens get by what they read, by the same. */
  readonly #followed = new Map<string, Promise<[string, Allowed][]>>();

  constructor(requests: Requests, world: World) {
    this.#requests = requests;
    this.#world = world;
    this.#asked = askedIn(world);
  }

  /** A value at all paths but the unnamed, which are made by nobody. */
  async fill(): Promise<void> {
    await this.#requests.write(`sys/mounts/${this.#world.prefix}k`, { type: 'kv' });
    if (this.#world.hasCredentials)
      await this.#requests.write('identity/oidc/key/k', { allowed_client_ids: ['*'] });
    const names = namesIn(this.#world).filter(isFilled);
    await Promise.all(names.map((path) => this.#requests.write(path, { v: 'x' })));
  }

  /** Other texts of these policies, or templates that are filled in otherwise. */
  forget(policies: readonly string[]): void {
    for (const key of [...this.#known.keys()]) {
      const [held] = JSON.parse(key) as [string[], string];
      if (this.#world.hasTemplates || held.some((one) => policies.includes(one))) this.#known.delete(key);
    }
  }

  async everyone(resources: Resources): Promise<Answers> {
    this.#followed.clear();
    const answers: Answers = new Map();
    const all: SignedIn[] = [];
    for (const person of this.#world.people) all.push(await this.#enter(person, resources));
    // Two may be the same entity: of nobody, groups are left to another.
    for (const one of all) await leave(one);
    for (const one of all) {
      await this.#visit(one, resources, answers);
      await leave(one);
    }
    this.#kept = all.flatMap(({ tokens }) => tokens);
    return answers;
  }

  /** What the tokens of these sign-ins get, in no groups of a sign-in, without another sign-in. */
  async withKept(resources: Resources): Promise<Answers> {
    this.#followed.clear();
    const answers: Answers = new Map();
    // An entity may be gone or disabled, or bounds be others: it says nothing of new tokens with the same policies.
    const known = new Map<string, Promise<Allowed>>();
    for (const { by, text } of this.#kept)
      answers.set(
        by,
        new Map([['kept', await this.#allowed(text, known)], ...(await this.#readBy(text, resources))]),
      );
    return answers;
  }

  /** Signs a person in by every role, with and without groups. */
  async #enter(person: Person, resources: Resources): Promise<SignedIn> {
    const roles = [...resources].flatMap(([key, one]) => (one.kind === 'role' ? [{ key, ...one }] : []));
    const options: Option[][] = [];
    const tokens: Token[] = [];
    for (const mount of Object.keys(person.claims)) {
      const entered: (Of<'role'> & { key: string })[] = [];
      for (const role of roles.filter((one) => one.mount === mount)) {
        const token = await this.#signIn(person, role);
        if (token === undefined) continue;
        tokens.push({ by: `${person.label} by ${role.key}`, ...token });
        entered.push(role);
      }
      if (entered.length === 0) continue;
      // By another role, a person may be another entity.
      const leave = async () => {
        for (const role of entered) await this.#signIn(person, role, []);
      };
      const entering = entered.map((role) => ({ label: role.key, enter: () => this.#signIn(person, role) }));
      const outside = { label: `not ${mount}`, enter: leave };
      options.push([outside, ...entering]);
    }
    for (const [key, one] of resources) {
      if (one.kind !== 'user' || one.name !== person.name) continue;
      const token = await this.#signInByName(one, resources);
      if (token !== undefined) tokens.push({ by: `${person.label} by ${key}`, ...token });
    }
    return { tokens, options };
  }

  /** Every row of the last sign-in at each mount: external groups are those of the last one. */
  async #visit({ tokens, options }: SignedIn, resources: Resources, answers: Answers): Promise<void> {
    const visit = async (at: number, labels: string[]): Promise<void> => {
      const there = options[at];
      if (there === undefined) {
        for (const { by, text, life } of tokens) {
          const states = answers.get(by) ?? new Map<string, Allowed>();
          const own = await this.#allowed(text);
          states.set(labels.join(), new Set([signsIn, ...own, ...life]));
          for (const [token, allowed] of await this.#madeTokens(text, resources))
            states.set([...labels, token].join(), allowed);
          for (const [token, allowed] of await this.#readBy(text, resources))
            states.set([...labels, token].join(), allowed);
          answers.set(by, states);
        }
        return;
      }
      for (const { label, enter } of there) {
        await enter();
        await visit(at + 1, [...labels, label]);
      }
    };
    await visit(0, []);
  }

  /** Tokens that a token can make by token roles: with one of the policies, or with all. Without a name, with its own. */
  async #madeTokens(token: string, resources: Resources): Promise<[string, Allowed][]> {
    const found: [string, Allowed][] = [];
    for (const one of resources.values()) {
      if (one.kind !== 'tokenRole') continue;
      const named = one.policies.map((policy) => `${this.#world.prefix}-${policy}`);
      const policies = named.length > 0 ? named : [...(await this.#policiesOf(token)), 'default'];
      for (const asked of [policies, ...policies.map((policy) => [policy])]) {
        const body = { policies: asked, no_default_policy: true };
        const { auth } = await this.#requests.send('POST', `auth/token/create/${one.name}`, body, token);
        if (auth === undefined) continue;
        found.push([`making ${asked.join(' ')}`, await this.#allowed(auth.client_token)]);
      }
    }
    return found;
  }

  /** Tokens that a token gets by signing in with what it reads, and with what these read. */
  async #readBy(token: string, resources: Resources, steps = 0): Promise<[string, Allowed][]> {
    if (!this.#world.hasCredentials || steps > 3) return [];
    const key = await this.#keyOf(token, true);
    if (key === undefined) return [];
    const known = this.#followed.get(key);
    // Where a chain comes back to itself, there is nothing new.
    if (known !== undefined) return steps > 0 ? [] : await known;
    const found = this.#follow(token, resources, steps);
    this.#followed.set(key, found);
    return await found;
  }

  async #follow(token: string, resources: Resources, steps: number): Promise<[string, Allowed][]> {
    const found: [string, Allowed][] = [];
    const take = async (label: string, path: string, body: object) => {
      const { auth } = await this.#requests.send('POST', path, body);
      if (!auth?.client_token) return;
      found.push([`${reading}${label}`, await this.#allowed(auth.client_token)]);
      for (const [next, allowed] of await this.#readBy(auth.client_token, resources, steps + 1))
        found.push([`${reading}${label}, ${next}`, allowed]);
    };
    for (const [key, one] of resources) {
      if (one.kind === 'place') {
        const { data } = await this.#requests.send(
          'GET',
          `${this.#world.prefix}k/${one.at}`,
          undefined,
          token,
        );
        if (data['secret_id'] !== undefined) await take(key, `auth/${this.#world.prefix}u/login`, data);
      }
      if (one.kind !== 'identityRole') continue;
      const { data } = await this.#requests.send('GET', `identity/oidc/token/${one.name}`, undefined, token);
      if (data['token'] === undefined) continue;
      for (const [role, { kind, ...at }] of resources)
        if (kind === 'role' && 'mount' in at && at.mount === 's')
          await take(`${key} ${role}`, `auth/${this.#world.prefix}s/login`, {
            role: at.name,
            jwt: data['token'],
          });
    }
    return found;
  }

  async #policiesOf(token: string): Promise<string[]> {
    const { data } = await this.#requests.send('POST', 'auth/token/lookup', { token });
    return (data['policies'] as string[] | undefined) ?? [];
  }

  async #signIn(person: Person, role: Of<'role'>, groups?: string[]): Promise<Omit<Token, 'by'> | undefined> {
    const claims: Claims = person.claims[role.mount] ?? { groups: [] };
    const jwt = jwtOf(person.name, groups === undefined ? claims : { ...claims, groups });
    return await this.#login(`auth/${this.#world.prefix}${role.mount}/login`, { role: role.name, jwt });
  }

  async #signInByName(
    { name, mount }: Of<'user'>,
    resources: Resources,
  ): Promise<Omit<Token, 'by'> | undefined> {
    const at = `auth/${this.#world.prefix}${mount}`;
    if (!isAppRole(resources, mount)) return await this.#login(`${at}/login/${name}`, { password: 'secret' });
    const role = `${at}/role/${name}`;
    const { data: secret } = await this.#requests.send('POST', `${role}/secret-id`, {});
    const { data: id } = await this.#requests.send('GET', `${role}/role-id`);
    const body = { role_id: id['role_id'], secret_id: secret['secret_id'] };
    return await this.#login(`${at}/login`, body);
  }

  async #login(path: string, body: object): Promise<Omit<Token, 'by'> | undefined> {
    const { auth } = await this.#requests.send('POST', path, body);
    // Where a second factor is asked for, there is none yet.
    if (!auth?.client_token) return undefined;
    return { text: auth.client_token, life: this.#world.hasTimes ? await this.#life(auth.client_token) : [] };
  }

  /** How long a token lives, and how long it can be made to live by renewing it once. */
  async #life(token: string): Promise<string[]> {
    const { data } = await this.#requests.send('POST', 'auth/token/lookup', { token });
    const body = { token, increment: 1_000_000 };
    const { auth } = await this.#requests.send('POST', 'auth/token/renew', body);
    const reaches = (what: string, seconds: unknown) =>
      lives.flatMap((least) => (Number(seconds) >= least - 60 ? [`${what} ${least} s`] : []));
    return [...reaches('lives', data['creation_ttl']), ...reaches('is renewed for', auth?.lease_duration)];
  }

  /** Asked once for tokens of the same policies and addresses; the entity counts where templates are filled in. */
  async #allowed(token: string, kept?: Map<string, Promise<Allowed>>): Promise<Allowed> {
    const key = await this.#keyOf(token, this.#world.hasTemplates || kept !== undefined);
    if (key === undefined) return new Set();
    const known = kept ?? this.#known;
    let answer = known.get(key);
    if (answer === undefined) {
      answer = this.#ask(token);
      known.set(key, answer);
    }
    return await answer;
  }

  /** Equal for tokens that get the same; undefined for one that is not there. */
  async #keyOf(token: string, isOfEntity: boolean): Promise<string | undefined> {
    const { status, data } = await this.#requests.send('POST', 'auth/token/lookup', { token });
    if (status !== 200) return undefined;
    const lists = [data['policies'], data['identity_policies']] as (string[] | null)[];
    const held = [...new Set(lists.flatMap((list) => list ?? []))].sort();
    return JSON.stringify([held, isOfEntity ? data['entity_id'] : '', data['bound_cidrs'] ?? []]);
  }

  async #ask(token: string): Promise<Allowed> {
    const allowed = new Set<string>();
    for (const all of this.#asked) {
      await Promise.all(
        all.map(async (one) => {
          const { status } = await this.#requests.send(one.method, one.path, one.body, token);
          if (status !== 403) allowed.add(nameOf(one));
        }),
      );
    }
    const lost = namesIn(this.#world).filter((path) => isFilled(path) && allowed.has(`DELETE ${path}`));
    await Promise.all(lost.map((path) => this.#requests.write(path, { v: 'x' })));
    return allowed;
  }
}

/** A person's tokens, and what they can be at each mount: in no groups first. */
interface SignedIn {
  tokens: Token[];
  options: Option[][];
}

interface Option {
  label: string;
  enter: () => Promise<unknown>;
}

async function leave({ options }: SignedIn): Promise<void> {
  for (const [outside] of options) await outside?.enter();
}

/** Seconds that are told apart. */
const lives = [900, 1800, 3600, 100_000];

/** Who a role sees by the claim `uid`: somebody else. */
export function uidOf(name: string): string {
  return name === 'q' ? 'p' : 'q';
}

const signed = new Map<string, string>();

function jwtOf(name: string, { isSecond, ...claims }: Claims): string {
  const who = { aud: 'x', sub: name, uid: uidOf(name), team: 'a' };
  const key = JSON.stringify({ isSecond, ...who, ...claims });
  const known = signed.get(key);
  if (known !== undefined) return known;
  const seconds = Math.floor(Date.now() / 1000);
  const token = { iat: seconds - 60, exp: seconds + 20_000, ...who, ...claims };
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${encoded({ alg: 'ES256', typ: 'JWT' })}.${encoded(token)}`;
  const pair = pairs[isSecond ? 1 : 0] as (typeof pairs)[number];
  const signature = sign('sha256', Buffer.from(content), { key: pair.privateKey, dsaEncoding: 'ieee-p1363' });
  const jwt = `${content}.${signature.toString('base64url')}`;
  signed.set(key, jwt);
  return jwt;
}
