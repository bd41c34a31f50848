import { wholeLiveGraph } from '../../../../../cli/src/open/open-graph.ts';
import { ServiceClient } from '../../../../../service-client/src/service-client.ts';
import { isObject } from '../../../../src/graph/values/json.ts';
import type { LiveService } from '../../../../src/review/plan/live-service.ts';
import type { Reply, Requests } from '../split-worlds/service.ts';
import type { DrawnWrite } from './draw.ts';
import { type Body, passwordOf, type Write } from './world.ts';

/** What stands around every world: `<cluster>` and `<certificate>` of its set-up. */
export interface Around {
  cluster: string;
  certificate: string;
}

/** Passwords of a set-up with the least that bcrypt can cost: most of the time would be theirs. */
const hashes: Record<string, string> = {
  [passwordOf('ann')]: '$2a$05$abcdefghijklmnopqrstuujEsz/x4z2AoS1Cwdd7Mb5/wRvaJYibi',
  [passwordOf('bob')]: '$2a$05$abcdefghijklmnopqrstuuKT/2FvxiTCN3p8q65XBfYH8/GA7idN2',
  [passwordOf('max')]: '$2a$05$abcdefghijklmnopqrstuudtWgub8mqbbUSyjGvLCgU4u1er/rgqy',
  [passwordOf('tess')]: '$2a$05$abcdefghijklmnopqrstuuYhAZ7ufQqA5ugSfai0LSf0QspLsnL2K',
};

function withHash({ password, ...body }: Body): Body {
  const password_hash = hashes[String(password)];
  return password_hash === undefined ? { password, ...body } : { password_hash, ...body };
}

/** A world on an OpenBao, in a namespace of its own. */
export class BuiltWorld {
  readonly requests: Requests;
  readonly #server: Requests;
  readonly #namespace: string;
  readonly #names: Map<string, string>;

  private constructor(server: Requests, requests: Requests, namespace: string, names: Map<string, string>) {
    this.#server = server;
    this.requests = requests;
    this.#namespace = namespace;
    this.#names = names;
  }

  static async build(
    server: Requests,
    namespace: string,
    world: readonly Write[],
    around: Around,
  ): Promise<BuiltWorld> {
    const requests = await server.within(namespace);
    const service = `${server.server.address}/v1/${namespace}`;
    const names = new Map(Object.entries({ service, ...around }));
    const built = new BuiltWorld(server, requests, namespace, names);
    for (const write of world) await built.#make(write);
    return built;
  }

  async #make({ path, body, id, namespace }: Write): Promise<void> {
    const to = at(path, namespace);
    if (path === 'auth/token/create') {
      const { auth } = await this.requests.send('POST', to, body);
      this.#names.set('token', auth?.client_token ?? '');
      return;
    }
    const data = await this.requests.write(to, this.resolve(withHash(body)));
    if (id === undefined) return;
    const read = id.startsWith('accessor ') ? (await this.requests.send('GET', path)).data : data;
    const drawn = read['accessor'] ?? read['method_id'] ?? read['certificate'] ?? read['id'];
    this.#names.set(id, String(drawn));
  }

  /** With what the service drew in place of what stands for it. */
  readonly resolve = <Value>(value: Value): Value => resolved(value, this.#names) as Value;

  /** Makes a write: undefined where the service refuses it, whatever its reason. */
  async write({ isDeletion, path, body, namespace }: DrawnWrite): Promise<Reply | undefined> {
    const [method, to] = [isDeletion ? 'DELETE' : 'POST', this.resolve(at(path, namespace))];
    const answer = await this.requests
      .send(method, to, isDeletion ? undefined : this.resolve(body))
      .catch(() => undefined);
    return answer !== undefined && answer.status < 300 ? answer : undefined;
  }

  /** The whole service, as `--live` reads it, with the namespace below. */
  async live(): Promise<LiveService> {
    const read = async (namespace: string): Promise<LiveService> => {
      const place = [this.#namespace, namespace].filter((part) => part !== '').join('/');
      const client = new ServiceClient({ ...this.#server.server, namespace: place, maxConnections: 8 });
      try {
        return { namespace, ...(await wholeLiveGraph(client)) };
      } finally {
        client.close();
      }
    };
    const [own, below] = await Promise.all([read(''), read('team')]);
    return { ...own, otherNamespaces: [below] };
  }

  async close(): Promise<void> {
    for (const below of ['lab', 'team', 'fresh'])
      await this.requests.send('DELETE', `sys/namespaces/${below}`).catch(() => undefined);
    await this.#server.send('DELETE', `sys/namespaces/${this.#namespace}`).catch(() => undefined);
  }
}

function at(path: string, namespace: string | undefined): string {
  return namespace === undefined ? path : `${namespace}/${path}`;
}

function resolved(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/<([^<>]+)>/g, (whole, name: string) => names.get(name) ?? whole);
  if (Array.isArray(value)) return value.map((one) => resolved(one, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, names)]));
}
