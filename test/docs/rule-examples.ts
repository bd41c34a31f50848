import { parse } from 'yaml';
import { declare } from '../../packages/core/src/environment/declared.ts';
import { endsOf } from '../../packages/core/src/environment/ends.ts';
import type { Change } from '../../packages/core/src/graph/change.ts';
import { emptyGraph, type Graph } from '../../packages/core/src/graph/graph.ts';
import type { ProviderKind } from '../../packages/core/src/graph/kinds/kinds.ts';
import { roleSubject, type Subject } from '../../packages/core/src/graph/subject.ts';
import { parseInstant } from '../../packages/core/src/graph/values/instant.ts';
import { gateRules } from '../../packages/core/src/review/rules/gate.ts';
import { ruleOptions } from '../../packages/core/src/review/rules/rule-options.ts';
import {
  changeRules,
  graphRules,
  judgeChange,
  judgeGraph,
} from '../../packages/core/src/review/rules/rules.ts';
import {
  jwtMethod,
  jwtRole,
  message,
  oidcMethod,
  oidcRole,
  workspaceSuite,
} from '../../packages/core/test/review/rules/graph-fixture.ts';
import { graph } from '../../packages/core/test/worlds.ts';
import { environmentOf } from './environment-block.ts';
import { blocksOf, read } from './markdown.ts';

type Keys = Record<string, any>;

const page = 'docs/rules.md';
/** The day of the examples. */
const now = parseInstant('2026-12-22T12:00:00Z');

export const rules = [...graphRules, ...changeRules, ...gateRules];

/** The sections of docs/rules.md, each from the id of its rule on. */
export const [, ...sections] = read(page)
  .replace(/^## .*\n/gm, '')
  .split(/^### /m);

export function sectionOf(id: string): string {
  return sections.find((text) => text.startsWith(`${id}\n`)) ?? '';
}

/** The two sides of a rule's example: lines with `-` or without a mark, and lines with `+` or without one. */
function sidesOf(id: string): { isStack: boolean; before: Keys; after: Keys } {
  const block = blocksOf(page, sectionOf(id)).find(({ info }) => info.startsWith('diff'));
  const lines = block?.text.split('\n').filter((line) => line !== '') ?? [];
  const side = (mark: string): Keys => {
    const own = lines.filter((line) => line.startsWith(' ') || line.startsWith(mark));
    return parse(own.map((line) => line.slice(1)).join('\n')) ?? {};
  };
  return { isStack: block?.info === 'diff stack', before: side('-'), after: side('+') };
}

/** Rules whose section has an example, which needs no other test of what fires and what does not. */
export const withExample = rules.filter(({ id }) => /^```diff/m.test(sectionOf(id))).map(({ id }) => id);

/** Ids of the rules that object to one side of an example. */
export function objections(id: string, which: 'before' | 'after'): string[] {
  const { isStack, ...sides } = sidesOf(id);
  const keys = sides[which];
  if (isStack) return found(judgeGraph(...declared(keys)));
  const providers = keys['kind'] && { staff: ofKind(keys), ci: ofKind(keys) };
  const service = { address: 'https://secrets.example.com:8200', dialect: 'vault' } as const;
  return found(judgeGraph(graphOf(keys), { service, ...(providers && { providers }) }));
}

/** Ids of the rules that object to the change from the first side to the second, or to no change of the first. */
export function changeObjections(id: string, which: 'change' | 'none'): string[] {
  const { isStack, before, after: wanted } = sidesOf(id);
  const after = which === 'change' ? wanted : before;
  if (!isStack) return found(judgeChange(changeOf(before, after), { now }));
  const [was, is] = [environmentFrom(before), environmentFrom(after)];
  const change = { before: declare(was), after: declare(is), replaced: [], rotated: [], unknown: [] };
  const ends = { ends: endsOf(is), endsBefore: endsOf(was) };
  const ofGate = judgeGraph(declare(is), { ...ruleOptions(is, was), now });
  return found([...judgeChange(change, { ...ends, now }), ...ofGate]);
}

const found = (findings: { rule: string }[]) => findings.map(({ rule }) => rule);
const ofKind = ({ kind }: Keys) => ({ kind: kind as ProviderKind });

function declared(keys: Keys): Parameters<typeof judgeGraph> {
  const environment = environmentFrom(keys);
  return [declare(environment), { ...ruleOptions(environment), now }];
}

/** An environment with one role of people, and what an example says of it. */
function environmentFrom({ role = {}, groups = [], ...keys }: Keys) {
  const reader = { name: 'reader', policies: ['shop'], ...role };
  const config = {
    service: { address: 'https://secrets.example.com:8200' },
    providers: [{ kind: 'source_hosting', name: 'git', clientId: 'gatehouse', roles: [reader], groups }],
    clientSecrets: { git: 'a secret' },
    policies: [{ name: 'shop', policy: 'path "secret/data/shop/*" { capabilities = ["read"] }' }],
    ...keys,
  };
  const stack = Object.entries(config).map(([key, value]) => [`gatehouse:${key}`, value]);
  return environmentOf(JSON.stringify({ config: Object.fromEntries(stack) }));
}

/** A method with one role, for people (`role`) or jobs (`job`), that no rule objects to but for what an example says. */
function graphOf(keys: Keys): Graph {
  const isOfJobs = 'job' in keys;
  const { providerConfig, ...config } = keys['method'] ?? {};
  const own = {
    ...Object.fromEntries(Object.entries(config).map(([name, value]) => [name, value ?? undefined])),
    ...(providerConfig && { providerConfig: { ...workspaceSuite, ...providerConfig } }),
  };
  const fields = Object.entries(keys['job'] ?? keys['role'] ?? {}).map(([name, value]) => [
    name,
    value ?? undefined,
  ]);
  const role = (isOfJobs ? jwtRole : oidcRole)(Object.fromEntries(fields));
  const method = isOfJobs ? jwtMethod(own) : oidcMethod(own);
  const hasRole = !('job' in keys && keys['job'] === null);
  const count = keys['messages'] ?? 0;
  const other = ['configuration', 'guard', 'secretId', 'kept'].find((type) => type in keys);
  return {
    ...emptyGraph(),
    ...(other === undefined ? {} : graph(otherOf(other, keys[other]))),
    methods: [{ ...method, ...(keys['tune'] ? { tune: keys['tune'] } : {}) }],
    roles: hasRole ? [role] : [],
    aliases: Object.entries<string>(keys['aliases'] ?? {}).map(([name, group]) => ({
      name,
      group,
      method: method.path,
    })),
    policies: Object.entries<string>(keys['policies'] ?? {}).map(([name, text]) => ({ name, text })),
    messages: [
      ...('message' in keys ? [message(keys['message'])] : []),
      ...Array.from({ length: count }, (_, at) => message({ title: `${at}` })),
    ],
  };
}

/** What no stack declares, as a line of a graph. */
function otherOf(type: string, fields: Record<string, unknown>): string {
  const written = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  if (type === 'kept') return `user people/ann deploy\n approle apps/web deploy\n kept ${fields}`;
  if (type === 'configuration') return `configuration k8s kubernetes ${written.join(', ')}`;
  return type === 'guard' ? 'guard x' : 'secret-id x apps/web';
}

function changeOf(before: Keys, after: Keys): Change {
  const of = (list: string) =>
    'plan' in after && list in after['plan'] ? [subjectOf(after['plan'][list])] : [];
  return {
    before: graphOf(before),
    after: graphOf(after),
    replaced: of('replaced'),
    rotated: of('rotated'),
    unknown: of('unknown'),
    taken: of('taken'),
    remade: of('remade'),
    left: of('left'),
  };
}

/** `policy deploy`, `role reader`, or a field of the role: `job boundAudiences`. */
function subjectOf(text: string): Subject {
  const [type = '', name = ''] = text.split(' ');
  if (type === 'job') return { ...roleSubject(jwtRole()), field: name };
  return type === 'role' ? roleSubject(oidcRole()) : ({ type, name } as Subject);
}
