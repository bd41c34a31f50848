import { withParameters } from '../access/limits.ts';
import { policySides } from '../access/policy-sides.ts';
import type { Graph, GraphIds } from '../graph/graph.ts';
import { Acl, allowsParameters, needsWrapping, type Rule } from '../graph/policies/acl.ts';
import type { HclValue } from '../graph/policies/hcl.ts';
import type { PathRule } from '../graph/policies/parse-policy.ts';
import { needsSudo, type SudoPaths } from '../graph/policies/sudo-paths.ts';
import { capabilities } from '../graph/values/capability.ts';
import { policyKey } from '../graph/values/name-key.ts';
import { hashed } from './audit-line.ts';
import type { AskedRequest } from './logged-request.ts';
import type { UsageReason } from './usage-reason.ts';

/** What policies answer to a request, and what decided it. */
export interface Judgment {
  answer: 'allowed' | 'refused' | 'unknown';
  /** The pattern that decides, as it is written in the policies; absent where none matches. */
  pattern?: string;
  /** The policies that name that pattern. */
  policies: string[];
  /** What is not known; or of a refusal, why. Absent where it is allowed. */
  because?: Because;
}

export type Because =
  | { kind: 'no-rule' }
  | { kind: 'denied' }
  | { kind: 'capability'; capability: string }
  | { kind: 'parameters' }
  | { kind: 'operation'; operation: string }
  | { kind: 'wrapping' }
  | { kind: 'unknown'; missing: UsageReason };

export interface JudgedService {
  graph: Graph;
  ids?: Partial<GraphIds>;
  /** Hashes that a device gives values of policies, by the value: `sys/audit-hash`. Defaults to none. */
  hashes?: ReadonlyMap<string, string>;
  /** Policies whose text is not known, in lower case, whatever the graph has. Defaults to none. */
  hidden?: ReadonlySet<string>;
  /** Paths that need `sudo`, as the server itself says. Defaults to what is known of servers. */
  sudo?: SudoPaths | undefined;
}

interface FilledPolicies {
  acl: Acl;
  /** The rules of each policy, with its pattern as written. */
  rules: { policy: string; written: string; rule: PathRule }[];
  /** Patterns with a template that stands for something the log and the graph do not have. */
  unfilled: RegExp[];
  unread: string[];
  /** Whether some rule expires, so that the answer depends on the time. */
  expires: boolean;
}

/** Answers requests of a log by the policies of a graph, as the service would. Unknown where it cannot be told. */
export class RequestJudge {
  readonly #service: JudgedService;
  readonly #now: bigint;
  readonly #rules = new Map<string, PathRule[] | undefined>();
  readonly #filled = new Map<string, FilledPolicies>();

  /** @param now nanoseconds since 1970: rules that expired are left out */
  constructor(service: JudgedService, now: bigint) {
    this.#service = service;
    this.#now = now;
  }

  /** Names of fields whose values some policy limits, in lower case. */
  watched(): Set<string> {
    const names = this.#service.graph.policies.flatMap(({ name }) =>
      (this.rulesOf(name) ?? []).flatMap(({ allowedParameters = {}, deniedParameters = {} }) =>
        Object.entries({ ...allowedParameters, ...deniedParameters }).map(([field]) => field),
      ),
    );
    return new Set(names);
  }

  /**
   * Texts that policies compare fields with, and that a device can hash: those without a `*`. And names of roles, whose hashes in
   * sign-ins show that a log is of that device (`hashesOf`).
   */
  literals(): Set<string> {
    const lists = this.#service.graph.policies.flatMap(({ name }) =>
      (this.rulesOf(name) ?? []).flatMap(({ allowedParameters = {}, deniedParameters = {} }) => [
        ...Object.values(allowedParameters).flat(),
        ...Object.values(deniedParameters).flat(),
      ]),
    );
    const texts = lists.filter((text): text is string => typeof text === 'string' && !/^\*|\*$/.test(text));
    return new Set(
      texts.length === 0 ? [] : [...texts, ...this.#service.graph.roles.map(({ name }) => name)],
    );
  }

  /** What a policy says; undefined where its text is missing or cannot be read. */
  rulesOf(name: string): PathRule[] | undefined {
    const key = policyKey(name);
    if (this.#rules.size === 0)
      this.#read(this.#service.graph.policies.map((policy) => policyKey(policy.name)));
    if (!this.#rules.has(key)) this.#read([key]);
    return this.#rules.get(key);
  }

  /** All policies of the graph at once: each time, their names are looked through. */
  #read(names: string[]): void {
    const { graph, hidden } = this.#service;
    for (const [key, { after }] of policySides(names, graph, graph))
      this.#rules.set(key, hidden?.has(key) ? undefined : after);
  }

  /** @param entity id of the entity that asks, which fills templates */
  judge(policies: readonly string[], entity: string, request: AskedRequest): Judgment {
    const held = [...new Set(policies.map(policyKey))].sort();
    if (held.includes('root')) return { answer: 'allowed', policies: ['root'], pattern: '*' };
    const { operation } = request;
    // No policy gives it: a HEAD is refused to all but root.
    if (operation === 'header')
      return { answer: 'refused', policies: [], because: { kind: 'operation', operation } };
    const capability = capabilities.find((candidate) => candidate === operation);
    const unknown = (missing: UsageReason): Judgment => ({
      answer: 'unknown',
      policies: [],
      because: { kind: 'unknown', missing },
    });
    if (capability === undefined || capability === 'sudo' || capability === 'subscribe')
      return unknown({ kind: 'capability-needed', operation });
    const filled = this.#fill(held, entity);
    const [policy] = filled.unread;
    if (policy !== undefined) return unknown({ kind: 'policy-text', policy });
    if (filled.expires) return unknown({ kind: 'expiring-rule' });
    const isFolder = capability === 'list' || capability === 'scan';
    const path = isFolder ? request.path.replace(/\/$/, '') : request.path;
    if (filled.unfilled.some((pattern) => pattern.test(path) || pattern.test(`${path}/`)))
      return unknown({ kind: 'template' });
    const rule = filled.acl.decides(path, isFolder);
    if (rule === undefined) return { answer: 'refused', policies: [], because: { kind: 'no-rule' } };
    const naming = filled.rules.filter((candidate) => candidate.rule.path === rule.path);
    const decided = {
      pattern: naming[0]?.written ?? rule.path,
      policies: [...new Set(naming.map(({ policy }) => policy))],
    };
    const because = this.#refusal(rule, capability, request);
    if (because === undefined) return { answer: 'allowed', ...decided };
    return { answer: because.kind === 'unknown' ? 'unknown' : 'refused', ...decided, because };
  }

  /** The rules that decide at the path of a request, and at its folder for a list; undefined where that is not known. */
  deciding(
    policies: readonly string[],
    entity: string,
    path: string,
  ): { other: Rule | undefined; list: Rule | undefined } | undefined {
    const { acl, unfilled, unread } = this.#fill([...new Set(policies.map(policyKey))].sort(), entity);
    const folder = path.replace(/\/$/, '');
    const isOpen = unfilled.some((pattern) => pattern.test(folder) || pattern.test(`${folder}/`));
    if (unread.length > 0 || isOpen) return undefined;
    return { other: acl.decides(path, false), list: acl.decides(folder, true) };
  }

  /** Whether a token may do there what only administrators may. */
  hasSudo(policies: readonly string[], entity: string, { path }: AskedRequest): boolean {
    const held = [...new Set(policies.map(policyKey))].sort();
    return held.includes('root') || this.#fill(held, entity).acl.hasSudo(path);
  }

  #needsSudo({ path, below, pki }: AskedRequest): ReturnType<typeof needsSudo> {
    const start = below === undefined ? 0 : below.length + 1;
    return needsSudo({ path: path.slice(start), pki: pki?.slice(start) }, this.#service.sudo);
  }

  #refusal(rule: Rule, capability: string, request: AskedRequest): Because | undefined {
    const { fields, wrapping } = request;
    const gives = (name: string) => rule.capabilities.has(name);
    if (gives('deny')) return { kind: 'denied' };
    if (!gives(capability)) return { kind: 'capability', capability };
    const sudo = gives('sudo') ? 'no' : this.#needsSudo(request);
    if (sudo === 'yes') return { kind: 'capability', capability: 'sudo' };
    if (sudo === 'unknown') return { kind: 'unknown', missing: { kind: 'sudo' } };
    if (rule.otherLimits !== undefined) return { kind: 'unknown', missing: { kind: 'other-limit' } };
    if (needsWrapping(rule)) {
      const { minWrapping = 0, maxWrapping = Number.POSITIVE_INFINITY } = rule;
      if (wrapping === undefined || wrapping < minWrapping || wrapping > maxWrapping)
        return { kind: 'wrapping' };
    }
    if (!withParameters.includes(capability)) return undefined;
    const compared = this.#comparable(rule, fields);
    if (compared === undefined) return { kind: 'unknown', missing: { kind: 'hashed-value' } };
    return allowsParameters(rule, compared) ? undefined : { kind: 'parameters' };
  }

  /** The fields with values that can be compared; undefined where a limited one is hashed. */
  #comparable(rule: Rule, fields: AskedRequest['fields']): Record<string, unknown> | undefined {
    const compared: [string, unknown][] = [];
    for (const [name, value] of Object.entries(fields)) {
      const lists = [rule.allowedParameters, rule.deniedParameters];
      const listed = lists.flatMap((list) => valuesOf(list, name.toLowerCase()));
      if (listed.length === 0) compared.push([name, value]);
      else if (value === null) return undefined;
      else if (typeof value === 'string' && value.startsWith(hashed)) {
        const clear = this.#unhashed(value, listed);
        if (clear === undefined) return undefined;
        compared.push([name, clear]);
      } else if (JSON.stringify(value).includes(hashed)) return undefined;
      else compared.push([name, value]);
    }
    // A field may have any name, `__proto__` as well.
    return Object.fromEntries(compared);
  }

  /** The text of a list that was hashed, or the hash where it is of none; undefined where that is not known. */
  #unhashed(value: string, listed: readonly HclValue[]): string | undefined {
    const { hashes } = this.#service;
    const texts = listed.filter((text) => typeof text === 'string');
    const same = texts.find((text) => hashes?.get(text) === value);
    if (same !== undefined) return same;
    const areAllHashed = texts.every((text) => hashes?.has(text) === true && !/^\*.|.\*$/.test(text));
    return areAllHashed ? value : undefined;
  }

  #fill(held: readonly string[], entity: string): FilledPolicies {
    const all = held.map((name) => ({ name, rules: this.rulesOf(name) }));
    const hasTemplates = all.some(({ rules = [] }) => rules.some(({ path }) => path.includes('{{')));
    const key = JSON.stringify([held, hasTemplates && entity]);
    const known = this.#filled.get(key);
    if (known !== undefined) return known;
    const rules: FilledPolicies['rules'] = [];
    const unfilled: RegExp[] = [];
    for (const { name, rules: written = [] } of all) {
      for (const rule of written) {
        // Without an entity, servers pass over rules that need one.
        if (entity === '' && rule.path.includes('{{')) continue;
        const path = this.#filledPath(rule.path, entity);
        if (path === undefined) unfilled.push(anyFilling(rule.path));
        else rules.push({ policy: name, written: rule.path, rule: { ...rule, path } });
      }
    }
    const filled = {
      rules,
      unfilled,
      acl: new Acl([{ name: '', rules: rules.map(({ rule }) => rule) }], this.#now),
      unread: all.filter((policy) => policy.rules === undefined).map(({ name }) => name),
      expires: rules.some(({ rule }) => rule.expires !== undefined && rule.expires > this.#now - year),
    };
    this.#filled.set(key, filled);
    return filled;
  }

  /** Names of entities with several ids: others were merged into them, and it is the last one's id that fills templates. */
  #merged(): ReadonlySet<string> {
    if (this.#mergedNames !== undefined) return this.#mergedNames;
    const seen = new Set<string>();
    const names = Object.values(this.#service.ids?.entity ?? {});
    this.#mergedNames = new Set(names.filter((name) => seen.size === seen.add(name).size));
    return this.#mergedNames;
  }
  #mergedNames: ReadonlySet<string> | undefined;

  /** Undefined where a template stands for something that is not known here. */
  #filledPath(path: string, entity: string): string | undefined {
    let isKnown = true;
    const filled = path.replace(/\{\{(.*?)\}\}/g, (_, template: string) => {
      const names = this.#service.ids?.entity ?? {};
      const name = Object.hasOwn(names, entity) ? names[entity] : undefined;
      const id = name !== undefined && this.#merged().has(name) ? undefined : entity;
      const value =
        template === 'identity.entity.id' ? id : template === 'identity.entity.name' ? name : undefined;
      // A snapshot may have names of people hashed: ~….
      if (value === undefined || /[*+/]|^~/.test(value)) isKnown = false;
      return value ?? '';
    });
    return isKnown ? filled : undefined;
  }
}

/** Every log that is judged is younger than a year. */
const year = 366n * 86_400n * 1_000_000_000n;

function valuesOf(list: Rule['allowedParameters'], name: string): HclValue[] {
  return list !== undefined && Object.hasOwn(list, name) ? (list[name] ?? []) : [];
}

/** The paths that a pattern may match, whatever fills its templates. */
function anyFilling(pattern: string): RegExp {
  const parts = pattern.split(/(\{\{.*?\}\}|\+(?=\/|$)|\*$)/).map((part) => {
    if (part.startsWith('{{')) return '[^]*';
    if (part === '+') return '[^/]*';
    return part === '*' ? '[^]*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
