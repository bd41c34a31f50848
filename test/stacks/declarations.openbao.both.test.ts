import { beforeAll, expect, test } from '@jest/globals';
import { checkPlan } from '../../packages/cli/src/deployment/check-plan.ts';
import { declare } from '../../packages/core/src/environment/declared.ts';
import { type Environment, parseEnvironment } from '../../packages/core/src/environment/environment.ts';
import { byNamespace } from '../../packages/core/src/environment/namespaces.ts';
import { kindById } from '../../packages/core/src/graph/kinds/kinds.ts';
import { GatehouseError } from '../../packages/core/src/graph/values/errors.ts';
import { judgeGraph } from '../../packages/core/src/review/index.ts';
import { ruleIds } from '../../packages/core/src/review/rules/rules.ts';
import {
  type Base,
  basesAt,
  type Change,
  changedIn,
  changedOnWire,
  randomChanges,
  untried,
} from '../harness/declarations.ts';
import { describeRunning } from '../harness/describe-running.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { type EnvironmentUnderTest, environmentFor } from '../harness/environment-under-test.ts';
import { isIn, longTest } from '../harness/long-run.ts';
import { describeWithOpenBao } from '../harness/openbao.ts';
import type { TestedServer } from '../harness/two-servers.ts';
import { isWeekly } from '../harness/weekly-run.ts';

/** 2,000 declarations take a minute or two where nothing else runs. */
const patienceMs = 15 * 60_000;

/** What a service takes and a declaration does not say, each with why. */
const stricter: [RegExp, why: string][] = [
  [/no role of this provider is named/, 'a sign-in without a role would fail'],
  [
    /carry no groups, so no one would be in|groupsClaim: required where groups/,
    'no one would be in the group',
  ],
  [
    /is the service’s own auth method|has a meaning of its own in addresses|a path has no /,
    'no page and no request would reach it',
  ],
  [/OpenBao enables no other/, 'the next method would be refused'],
  [/the policy root cannot be given/, 'every sign-in would be refused'],
  [/the roles of a .* are of type/, 'its kind says which one'],
  [/there is no certificate in it/, 'a service reads it once it asks the issuer'],
  [
    /a claim and the name that it gets must not be empty|could sign in for the first time|the role among them/,
    'sign-ins would fail',
  ],
  [/so no token fits/, 'no one would sign in'],
  [/says this already/, 'two places would say one thing'],
  [/not a duration: "-1"/, 'it is the service’s own word for not set'],
  [
    /before and after each slash|cannot be in the path of a request/,
    'a request for it finds something else, or nothing',
  ],
  [/must be a text, a boolean or a whole number/, 'no token has it'],
];

interface Declaration {
  at: number;
  base: Base;
  changes: Change[];
}

/** Declarations side by side, each in a namespace of its own; none of the rules judges them. */
function configOf(declarations: readonly Declaration[]) {
  const all = declarations.map(({ at, base, changes }) => {
    const [name, namespace] = [`it${at}`, `d${at}`];
    const [tune, config, group] = (['tune', 'config', 'group'] as const).map((part) =>
      changedIn(changes, part),
    );
    return {
      namespace,
      provider: {
        ...base,
        name,
        namespace,
        ...changedIn(changes, 'provider'),
        tune,
        config,
        roles: [{ ...base.roles[0], ...changedIn(changes, 'role') }],
        groups: [{ name: 'g', policies: ['default'], ...group }],
      },
      policy: {
        name: 'p',
        namespace,
        policy: 'path "a" { policy = "read" }',
        ...changedIn(changes, 'policy'),
      },
      secrets: kindById(base.kind).methodType === 'oidc' ? { [`${namespace}/${name}`]: 'secret' } : {},
    };
  });
  return {
    namespaces: all.map(({ namespace: path }) => ({ path })),
    providers: all.map(({ provider }) => provider),
    policies: all.map(({ policy }) => policy),
    clientSecrets: Object.assign({}, ...all.map(({ secrets }) => secrets)) as Record<string, string>,
    rules: { disabled: Object.fromEntries(ruleIds.map((id) => [id, 'what servers take is tried'])) },
    messages: [],
    promises: [],
    serviceAccountKeys: {},
    groups: [],
  };
}

/** What is wrong with them, as a preview says it before anything else. */
function problemsOf(declarations: readonly Declaration[], identity: { address: string }): string[] {
  const parsed = parsedFrom(declarations, identity);
  if (Array.isArray(parsed)) return parsed;
  const graphs = byNamespace(parsed).map((one) => declare(one.environment));
  return graphs.flatMap((graph) =>
    judgeGraph(graph, { now: BigInt(Date.now()) * 1_000_000n }).flatMap(({ rule, message }) =>
      rule === 'refused' ? [message] : [],
    ),
  );
}

/** Their environment, or what it is refused for. */
function parsedFrom(
  declarations: readonly Declaration[],
  identity: { address: string },
): Environment | string[] {
  const { clientSecrets, serviceAccountKeys: _, ...given } = configOf(declarations);
  const own = {
    service: { address: 'https://secrets.example.com' },
    identity: { address: identity.address },
  };
  try {
    return parseEnvironment({ ...given, ...own, clientSecrets: Object.keys(clientSecrets) }, { ruleIds });
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    return (error.parts.fix ?? '').split('\n  ');
  }
}

type Accessors = Record<string, { accessor: string } | undefined>;

/** Writes what is changed to what a kind has on a service, part by part; resolves with what was refused, by its path. */
class Writer {
  readonly #server: TestedServer;
  readonly #environment: EnvironmentUnderTest;
  #accessors: Accessors = {};
  #group = '';

  constructor(server: TestedServer, environment: EnvironmentUnderTest) {
    this.#server = server;
    this.#environment = environment;
  }

  async prepare(): Promise<void> {
    const environment = this.#environment;
    const providers = basesAt(environment.identity).map((base) => ({ ...base, name: base.kind }));
    const secrets = providers.filter(({ kind }) => kindById(kind).methodType === 'oidc');
    const stack = environment.stack((config) => {
      Object.assign(config, configOf([]), { providers });
      config['clientSecrets'] = Object.fromEntries(secrets.map(({ kind }) => [kind, 'secret']));
    });
    await environment.up({ ...stack, home: `${stack.home}/bases` });
    await this.#post('identity/group', { name: 'aliased', type: 'external' });
    this.#group = String((await this.#read('identity/group/name/aliased'))['id']);
    this.#accessors = (await this.#read('sys/auth')) as Accessors;
  }

  async refused({ base: { kind, roles }, changes }: Declaration): Promise<string[]> {
    const found: string[] = [];
    const write = async (path: string, body: object) => {
      if (!(await this.#post(path, body))) found.push(path);
    };
    const { path, ...ofProvider } = changedIn(changes, 'provider');
    const { name = 'tried', ...role } = changedIn(changes, 'role');
    const { alias, ...group } = changedIn(changes, 'group');
    const { name: policyName = 'tried', ...policy } = changedIn(changes, 'policy');
    const has = (part: Change['part']) => Object.keys(changedIn(changes, part)).length > 0;
    if (path !== undefined) {
      await write(`sys/auth/${asPath(path)}`, { type: 'jwt' });
      await this.#send('DELETE', `sys/auth/${asPath(path)}`);
    }
    if (has('config') || 'defaultRole' in ofProvider) {
      const secret = kindById(kind).methodType === 'oidc' && { oidc_client_secret: 'secret' };
      const given = 'defaultRole' in ofProvider ? { default_role: ofProvider['defaultRole'] } : {};
      const before = await this.#read(`auth/${kind}/config`);
      await write(`auth/${kind}/config`, {
        ...before,
        ...secret,
        ...changedOnWire(changes, 'config'),
        ...given,
      });
      await this.#post(`auth/${kind}/config`, { ...before, ...secret });
    }
    if (has('tune')) {
      await this.#post('sys/auth/tuned', { type: 'jwt' });
      await write('sys/auth/tuned/tune', changedOnWire(changes, 'tune'));
      await this.#send('DELETE', 'sys/auth/tuned');
    }
    if (Object.keys(role).length > 0 || name !== 'tried') {
      const before = await this.#read(`auth/${kind}/role/${String(roles[0]['name'])}`);
      await write(`auth/${kind}/role/${asPath(name)}`, { ...before, ...changedOnWire(changes, 'role') });
      await this.#send('DELETE', `auth/${kind}/role/${asPath(name)}`);
    }
    if (Object.keys(group).length > 0) {
      await write('identity/group', { name: 'tried', type: 'external', ...changedOnWire(changes, 'group') });
    }
    if (alias !== undefined) {
      const { accessor } = this.#accessors[`${kind}/`] ?? {};
      await write('identity/group-alias', {
        name: alias,
        mount_accessor: accessor,
        canonical_id: this.#group,
      });
    }
    if (has('policy')) {
      await write(`sys/policies/acl/${asPath(policyName)}`, {
        policy: 'path "a" { policy = "read" }',
        ...policy,
      });
    }
    return found;
  }

  async #read(path: string): Promise<Record<string, unknown>> {
    const { data } = (await (await this.#send('GET', path)).json()) as { data?: Record<string, unknown> };
    return data ?? {};
  }

  /** Whether it was taken. */
  async #post(path: string, body: object): Promise<boolean> {
    return (await this.#send('POST', path, body)).ok;
  }

  async #send(method: string, path: string, body?: object): Promise<Response> {
    const { address, token } = this.#server;
    return await fetch(`${address}/v1/${path}`, {
      method,
      headers: { 'X-Vault-Token': token },
      ...(body && { body: JSON.stringify(body) }),
    });
  }
}

function asPath(name: unknown): string {
  return String(name).split('/').map(encodeURIComponent).join('/');
}

const isRefused = ({ problems }: { problems: string[] }) => problems.length > 0;

/** A declaration in a few words. */
function shown({ base, changes }: Declaration): string {
  const values = changes.map(({ part, name, value }) => [part, name, value]);
  return `${base.kind} ${JSON.stringify(values, (_, value) =>
    typeof value === 'string' && value.length > 99 ? `<${value.length}>` : value,
  )}`;
}

describeWithOpenBao('generated declarations', (openbao) => {
  describeRunning('on two services', { start: () => startEmbeddedService() }, (embedded) => {
    const real = () => ({ ...openbao(), kind: 'openbao' as const });
    const own = () => ({ ...embedded(), kind: 'embedded' as const });
    const environment = environmentFor(real);
    const second = environmentFor(own);
    const count = isWeekly ? 2000 : isIn('test:long') ? 500 : 120;
    const declarations: Declaration[] = [];
    const taken: Declaration[] = [];
    const refused: (Declaration & { problems: string[] })[] = [];
    let writers: { real: Writer; own: Writer };

    beforeAll(async () => {
      writers = { real: new Writer(real(), environment()), own: new Writer(own(), second()) };
      await Promise.all([writers.real.prepare(), writers.own.prepare()]);
      const bases = basesAt(environment().identity);
      const next = randomChanges(Number(process.env['GATEHOUSE_DECLARATIONS_SEED'] ?? 1));
      for (let at = 0; at < count; at += 1) {
        const declaration = { at, base: bases[at % bases.length] as Base, changes: next() };
        const problems = problemsOf([declaration], environment().identity);
        declarations.push(declaration);
        if (isRefused({ problems })) refused.push({ ...declaration, problems });
        else taken.push(declaration);
      }
    });

    longTest(
      'that pass are taken by OpenBao',
      async () => {
        const wrong: string[] = [];
        let left = taken;
        for (let round = 0; left.length > 0; round += 1) {
          const [batch, later]: [Declaration[], Declaration[]] = [[], []];
          // What is declared in one namespace and meant in another is refused: those go one after the other.
          for (const one of left) {
            const fits =
              batch.length < 40 && !Array.isArray(parsedFrom([...batch, one], environment().identity));
            (fits ? batch : later).push(one);
          }
          const stack = environment().stack((config) => Object.assign(config, configOf(batch)));
          const own = { ...stack, home: `${stack.home}/${round}` };
          const { failures } = await checkPlan(
            own,
            await environment().run('preview', own),
            environment().env,
          );
          if (failures.length > 0) {
            const failing = (one: Declaration) =>
              failures.filter((text) => new RegExp(`\\b(?:d|it)${one.at}\\b`).test(text));
            refused.push(...batch.map((one) => ({ ...one, problems: failing(one) })).filter(isRefused));
            const passing = batch.filter((one) => failing(one).length === 0);
            if (passing.length === batch.length) throw new Error(`Of no declaration: ${failures.join('; ')}`);
            left = [...passing, ...later];
            continue;
          }
          left = later;
          const { diagnostics } = await environment().run('up', own);
          for (const { severity, urn = '', message } of diagnostics) {
            if (severity !== 'error') continue;
            const [, at] = /\b(?:d|it)(\d+)\b/.exec(urn.slice(urn.lastIndexOf('::'))) ?? [];
            const one = batch.find((each) => String(each.at) === at);
            wrong.push(`${one === undefined ? urn : shown(one)}: ${message}`);
          }
        }
        expect(wrong).toEqual([]);
        expect(taken.length).toBeGreaterThan(count / 4);
      },
      patienceMs,
    );

    test('that are refused are refused by OpenBao, but for what is stricter by intent', async () => {
      const wrong: string[] = [];
      for (const one of refused) {
        if (one.problems.every((problem) => stricter.some(([pattern]) => pattern.test(problem)))) continue;
        const answers = await writers.real.refused(one);
        if (answers.length === 0) wrong.push(`${shown(one)}: ${one.problems.join('; ')}`);
      }
      expect(wrong).toEqual([]);
    });

    test(
      'are taken and refused by the embedded service as by OpenBao',
      async () => {
        const wrong: string[] = [];
        for (const one of declarations) {
          // No one signs in for -1 second: OpenBao takes it and fails every sign-in, the embedded service refuses it.
          if (one.changes.some(({ part, value }) => part === 'tune' && value === '-1')) continue;
          const [there, here] = await Promise.all([writers.real.refused(one), writers.own.refused(one)]);
          if (String(there) !== String(here)) wrong.push(`${shown(one)}: OpenBao ${there}, embedded ${here}`);
        }
        expect(wrong).toEqual([]);
      },
      patienceMs,
    );

    test('have a value for each field', () => {
      expect(untried).toBe(0);
    });
  });
});
