import { generateKeyPairSync, sign } from 'node:crypto';
import { isAppRole } from './plan.ts';
import type { Requests } from './service.ts';
import type { Of, Person, Resources, World } from './world.ts';

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string;

/** What a token gets: a request is its method, path and the fields of its body. */
export type Allowed = ReadonlySet<string>;

/** A token of a sign-in. */
interface Token {
  /** `p by j1-r`: a person and the role. */
  by: string;
  text: string;
}

/** What people get: by who signs in where, then by the sign-ins that their groups are from. */
export type Answers = Map<string, Map<string, Allowed>>;

/** Asks an OpenBao for all that the people of one world get, signing in anew. */
export class Asking {
  readonly #requests: Requests;
  readonly #world: World;
  /** By policies, and entity where templates are filled in: forgotten where the texts change. */
  readonly #known = new Map<string, Promise<Allowed>>();
  readonly #names: string[];
  kept: Token[] = [];

  constructor(requests: Requests, world: World) {
    this.#requests = requests;
    this.#world = world;
    const words = [...world.words, 'abc', 'c'];
    const deep = world.words.flatMap((one) => words.map((other) => `${one}/${other}`));
    this.#names = [...words, ...deep, 'c/a', 'c/c', 'a/a/c'].map((path) => `${world.prefix}k/${path}`);
  }

  /** A value at all paths but the unnamed, which are made by nobody. */
  async fill(): Promise<void> {
    await this.#requests.write(`sys/mounts/${this.#world.prefix}k`, { type: 'kv' });
    await Promise.all(this.#names.filter(isFilled).map((path) => this.#requests.write(path, { v: 'x' })));
  }

  /** Other texts of these policies, or templates that are filled in otherwise. */
  forget(policies: readonly string[]): void {
    for (const key of [...this.#known.keys()]) {
      const [held] = JSON.parse(key) as [string[], string];
      if (this.#world.hasTemplates || held.some((one) => policies.includes(one))) this.#known.delete(key);
    }
  }

  async everyone(resources: Resources): Promise<Answers> {
    const answers: Answers = new Map();
    this.kept = [];
    for (const person of this.#world.people) await this.#person(person, resources, answers);
    return answers;
  }

  /** What tokens from before the change get without another sign-in. */
  async withKept(tokens: readonly Token[]): Promise<Answers> {
    const answers: Answers = new Map();
    for (const token of tokens) {
      // Its entity may be gone, or its bounds be others: it says nothing of new tokens with the same policies.
      answers.set(token.by, new Map([['kept', await this.#ask(token.text)]]));
    }
    return answers;
  }

  /** Every row of the last sign-in at each mount: external groups are those of the last one. */
  async #person(person: Person, resources: Resources, answers: Answers): Promise<void> {
    const roles = [...resources].flatMap(([key, one]) => (one.kind === 'role' ? [{ key, ...one }] : []));
    const options: Option[][] = [];
    const tokens: Token[] = [];
    for (const mount of Object.keys(person.claims)) {
      const entering: Option[] = [];
      for (const role of roles.filter((one) => one.mount === mount)) {
        const text = await this.#signIn(person, role);
        if (text === undefined) continue;
        tokens.push({ by: `${person.name} by ${role.key}`, text });
        entering.push({ label: role.key, enter: () => this.#signIn(person, role) });
      }
      const [first] = roles.filter((role) => entering[0]?.label === role.key);
      if (first === undefined) continue;
      const outside = { label: `not ${mount}`, enter: () => this.#signIn(person, first, []) };
      options.push([outside, ...entering]);
    }
    for (const [key, one] of resources) {
      if (one.kind !== 'user' || one.name !== person.name) continue;
      const text = await this.#signInByName(one, resources);
      if (text !== undefined) tokens.push({ by: `${person.name} by ${key}`, text });
    }
    const visit = async (at: number, labels: string[]): Promise<void> => {
      const there = options[at];
      if (there === undefined) {
        for (const { by, text } of tokens) {
          const states = answers.get(by) ?? new Map<string, Allowed>();
          answers.set(by, states.set(labels.join(), await this.allowed(text)));
        }
        return;
      }
      for (const { label, enter } of there) {
        await enter();
        await visit(at + 1, [...labels, label]);
      }
    };
    await visit(0, []);
    this.kept.push(...tokens);
  }

  async #signIn(person: Person, role: Of<'role'>, groups?: string[]): Promise<string | undefined> {
    const claims = person.claims[role.mount] ?? { groups: [] };
    const seconds = Math.floor(Date.now() / 1000);
    const uid = person.name === 'q' ? 'p' : 'q';
    const who = { aud: 'x', sub: person.name, uid, team: 'a' };
    const token = { iat: seconds - 60, exp: seconds + 20_000, ...who, ...claims };
    const jwt = signed(groups === undefined ? token : { ...token, groups });
    const body = { role: role.name, jwt };
    return await this.#login(`auth/${this.#world.prefix}${role.mount}/login`, body);
  }

  async #signInByName({ name, mount }: Of<'user'>, resources: Resources): Promise<string | undefined> {
    const at = `auth/${this.#world.prefix}${mount}`;
    if (!isAppRole(resources, mount)) return await this.#login(`${at}/login/${name}`, { password: 'secret' });
    const { data } = await this.#requests.send('POST', `${at}/role/${name}/secret-id`, {});
    return await this.#login(`${at}/login`, { role_id: name, secret_id: data['secret_id'] });
  }

  async #login(path: string, body: object): Promise<string | undefined> {
    const { auth } = await this.#requests.send('POST', path, body);
    return auth?.client_token;
  }

  /** Asked once for tokens of the same policies and addresses; the entity counts where templates are filled in. */
  async allowed(token: string): Promise<Allowed> {
    const { status, data } = await this.#requests.send('POST', 'auth/token/lookup', { token });
    if (status !== 200) return new Set();
    const lists = [data['policies'], data['identity_policies']] as (string[] | null)[];
    const entity = this.#world.hasTemplates ? data['entity_id'] : '';
    const held = [...new Set(lists.flatMap((list) => list ?? []))].sort();
    const key = JSON.stringify([held, entity, data['bound_cidrs'] ?? []]);
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.#ask(token);
      this.#known.set(key, known);
    }
    return await known;
  }

  async #ask(token: string): Promise<Allowed> {
    const { prefix, hasLimits } = this.#world;
    const allowed = new Set<string>();
    const ask = async (method: string, path: string, body?: object) => {
      const { status } = await this.#requests.send(method, path, body, token);
      if (status === 403) return;
      allowed.add(`${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`);
    };
    const folders = [`${prefix}k/`, ...this.#names.map((path) => `${path}/`)];
    // A write without a field is refused after it was allowed, and changes nothing.
    const bodies = [{}, ...(hasLimits ? [{ v: 'x' }, { v: 'y' }, { w: 'x' }, { v: 'x', w: 'x' }] : [])];
    await Promise.all([
      ...this.#names.map((path) => ask('GET', path)),
      ...this.#names.map((path) => ask('POST', path, {})),
      ...folders.map((path) => ask('LIST', path)),
    ]);
    for (const body of bodies.slice(1))
      await Promise.all(this.#names.filter(isFilled).map((path) => ask('POST', path, body)));
    await Promise.all([...this.#names, ...folders.slice(1)].map((path) => ask('DELETE', path)));
    const lost = this.#names.filter((path) => isFilled(path) && allowed.has(`DELETE ${path}`));
    await Promise.all(lost.map((path) => this.#requests.write(path, { v: 'x' })));
    return allowed;
  }
}

interface Option {
  label: string;
  enter: () => Promise<string | undefined>;
}

/** What creates is asked for paths without a value. */
function isFilled(path: string): boolean {
  return !path.endsWith('/c');
}

const signatures = new Map<string, string>();

function signed(claims: object): string {
  const text = JSON.stringify({ ...claims, iat: 0, exp: 0 });
  const known = signatures.get(text);
  if (known !== undefined) return known;
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${encoded({ alg: 'ES256', typ: 'JWT' })}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(content), { key: pair.privateKey, dsaEncoding: 'ieee-p1363' });
  const jwt = `${content}.${signature.toString('base64url')}`;
  signatures.set(text, jwt);
  return jwt;
}
