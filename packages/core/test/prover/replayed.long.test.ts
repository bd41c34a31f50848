import { expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import type { OpenBao } from '../../../../test/harness/openbao-server.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { prove, solver, type Witness } from './prover.ts';
import { type Held, question } from './questions.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_124);
const wanted = Number(process.env['GATEHOUSE_WITNESSES'] ?? 300);

/** Asks OpenBao the requests of witnesses, with tokens of each side. */
class Replay {
  readonly #address: string;
  readonly #token: string;
  readonly #root: ServiceClient;
  readonly #mounts = new Set<string>();
  readonly #policies = new Map<string, string>();

  constructor({ address, token }: OpenBao) {
    this.#address = address;
    this.#token = token;
    this.#root = new ServiceClient({ address, token });
  }

  /** Whether the request is allowed to a token of one side. */
  async allows(held: Held, witness: Witness): Promise<boolean> {
    const groups = witness.groups.flatMap((at) => held.groups[at] ?? []);
    const token = await this.#tokenOf([...held.role, ...groups, ...(witness.rest ?? [])]);
    const { path, operation } = witness;
    if (operation === 'sudo') {
      const { data } = (await this.#root.post('sys/capabilities', { token, paths: [path] })) as {
        data: Record<string, string[]>;
      };
      return data[path]?.includes('sudo') ?? false;
    }
    await this.#prepare(witness);
    const response = await fetch(`${this.#address}/v1/${pathOf(witness)}`, {
      method: methods[operation] ?? 'GET',
      headers: {
        'X-Vault-Token': token,
        'Content-Type': operation === 'patch' ? 'application/merge-patch+json' : 'application/json',
        ...(witness.wrap !== null && { 'X-Vault-Wrap-TTL': `${witness.wrap}ns` }),
      },
      ...(isWrite(operation) && { body: JSON.stringify(witness.parameters) }),
    });
    const body = await response.text();
    if (response.status === 403 && body.includes('permission denied')) return false;
    if (response.status === 403 || response.status >= 500) throw new Error(`${response.status} ${body}`);
    return true;
  }

  /** A value is there for an update, and none for a create. */
  async #prepare({ path, operation }: Witness): Promise<void> {
    const [mount = ''] = path.split('/');
    if (path.includes('/') && !this.#mounts.has(mount)) {
      this.#mounts.add(mount);
      await this.#root.post(`sys/mounts/${mount}`, {
        type: 'kv',
        options: { version: '1' },
      });
    }
    if (!isWrite(operation)) return;
    const url = `${this.#address}/v1/${encoded(path)}`;
    const headers = { 'X-Vault-Token': this.#token };
    if (operation === 'create') await fetch(url, { method: 'DELETE', headers });
    else await fetch(url, { method: 'PUT', headers, body: '{"v":1}' });
  }

  async #tokenOf(texts: string[]): Promise<string> {
    const policies: string[] = [];
    for (const text of texts) {
      const name = this.#policies.get(text) ?? `p${this.#policies.size}`;
      if (!this.#policies.has(text)) {
        await this.#root.put(`sys/policies/acl/${name}`, { policy: text === '' ? '# nothing' : text });
        this.#policies.set(text, name);
      }
      policies.push(name);
    }
    // A token needs a policy.
    if (policies.length === 0) return await this.#tokenOf(['']);
    const { auth } = await this.#root.post('auth/token/create', {
      policies,
      no_default_policy: true,
      type: 'batch',
      ttl: '10m',
    });
    return String(auth?.['client_token']);
  }
}

const methods: Record<string, string> = {
  create: 'POST',
  update: 'POST',
  patch: 'PATCH',
  delete: 'DELETE',
  list: 'LIST',
};

function isWrite(operation: string): boolean {
  return operation === 'create' || operation === 'update' || operation === 'patch';
}

/** Servers clean a path of empty segments, unless their slash is written as `%2F`. */
function encoded(path: string): string {
  const [first = '', ...rest] = path.split('/').map(encodeURIComponent);
  return rest.reduce((before, segment) => before + (before.endsWith('/') ? '%2F' : '/') + segment, first);
}

function pathOf({ path, operation, parameters }: Witness): string {
  if (operation !== 'read') return encoded(path);
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return `${encoded(path)}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`;
}

/** Writes to a folder are refused whatever a policy says, and capabilities of one are those of a LIST. */
function canBeAsked({ path, operation }: Witness): boolean {
  if (operation === 'sudo') return !path.endsWith('/');
  return !isWrite(operation) || (path.includes('/') && !path.endsWith('/'));
}

if (solver === undefined) test.skip('witnesses are what OpenBao answers', () => {});
else {
  describeWithOpenBao(`${wanted} witnesses, seed ${seed}`, (server) => {
    test('are what OpenBao answers before and after', async () => {
      const replay = new Replay(server());
      const wrong: unknown[] = [];
      const asked = new Map<string, number>();
      let replayed = 0;
      for (let from = seed; replayed < wanted; from += 100) {
        const questions = Array.from({ length: 100 }, (_, at) => question(from + at));
        for (const [at, { witness = {} }] of (await prove(questions)).entries()) {
          const { id, before, after } = questions[at]!;
          for (const which of ['gains', 'losses'] as const) {
            const shown = witness[which];
            if (shown === undefined || !canBeAsked(shown)) continue;
            replayed += 1;
            asked.set(shown.operation, (asked.get(shown.operation) ?? 0) + 1);
            const answers = [await replay.allows(before, shown), await replay.allows(after, shown)];
            if (answers[0] === answers[1] || answers[0] !== (which === 'losses')) {
              wrong.push({ id, which, witness: shown, answers, before, after });
            }
          }
        }
      }
      console.info(`${replayed} witnesses, seed ${seed}`, Object.fromEntries(asked));
      expect(wrong).toEqual([]);
    }, 86_400_000);
  });
}
