import { type Complete, emptyGraph, type Graph, type GraphIds, type Identity } from '../graph.ts';
import type { Difference } from '../graph-difference.ts';
import { apartList } from '../known.ts';
import type { CredentialSource } from '../nodes/credential-source.ts';
import { type Guard, loginEnforcement } from '../nodes/guard.ts';
import { type EntityAlias, otherAlias } from '../nodes/other-alias.ts';
import type { SealStatus } from '../policies/default-policy.ts';
import { type AuthMethod, hasUnknownProvider, methodFromWire } from '../resources/auth-method.ts';
import type { ByName } from '../resources/field.ts';
import type { GroupAlias } from '../resources/group-alias.ts';

import { type AnyResource, addPart, type Part } from '../resources/resources.ts';
import type { Subject } from '../subject.ts';
import { keepsToNamespace } from '../values/service-version.ts';
import {
  type AnsweredGroups,
  type GoneMember,
  readGroups,
  strangersIn,
  type Unreadable,
} from './live-groups.ts';
import {
  type AnsweredMethod,
  type AnsweredToken,
  ofEntities,
  ofOtherMethods,
  ofTokens,
  type ReadEntity,
  rewrittenDefault,
  typeOf,
  withMerged,
} from './live-others.ts';

/** What a service answered of its login set-up. */
export interface LiveAnswers {
  /** Its auth mounts by their paths. */
  mounts: ReadonlyMap<string, ByName>;
  /** Paths of the methods that were to be read with their roles. */
  wanted: readonly string[];
  /** Configurations of those that it has; undefined where one may not be read. */
  configs: readonly { path: string; config: ByName | undefined }[];
  /** Parts of each resource that no other answer holds. */
  parts: readonly { resource: AnyResource; found: readonly Part[] }[];
  groups: AnsweredGroups;
  /** All of them, or none where they were not asked for. */
  entities: readonly ReadEntity[];
  programs: readonly Programs[];
  /** What bears on sign-ins and stands in no auth method. */
  apart: readonly Difference[];
  /** Auth methods that no stack declares. Absent where they were not asked for, as what follows. */
  otherMethods?: readonly AnsweredMethod[] | undefined;
  tokens?: readonly AnsweredToken[] | undefined;
  /** Login enforcements; undefined where they were not asked for. */
  guards?: readonly { name: string; fields: ByName }[] | undefined;
  /** What hands out credentials; undefined where it was not asked for. */
  credentials?: readonly CredentialSource[] | undefined;
  /** Nothing else hands out identity tokens or certificates. Defaults to false. */
  hasAllCredentials?: boolean | undefined;
  /** It has no namespaces, and is in none. Defaults to false. */
  hasNoNamespaces?: boolean;
  /** The policy `default`, where someone may have written it. */
  written?: { name: string; text: string } | undefined;
  /** What the service says of itself; undefined where it was not asked, or does not say. */
  status?: SealStatus | undefined;
  unreadable: readonly Unreadable[];
}

/** Roles of a method that are programs (CEL of OpenBao). */
interface Programs {
  method: string;
  names: string[];
}

/** What was asked for. */
interface LiveScope {
  known?: Graph | undefined;
  knownOnly: boolean;
  undeclared: boolean;
  whole: boolean;
}

/** The login set-up of a service. */
export interface LiveGraph {
  graph: Graph;
  unreadable: Unreadable[];
  /** What others refer to by the service's own ids. */
  ids: GraphIds;
  /** Aliases whose method is gone; they have no effect. */
  orphans: (Omit<GroupAlias, 'method'> & { accessor: string })[];
  /** Members of groups that are gone; they have no effect. */
  gone: GoneMember[];
  /** What no stack declares and no graph holds: another text of `default`, namespaces. Empty unless asked for. */
  undeclared: Difference[];
  /** As in `ServiceGraph`; empty unless the whole service was asked for. */
  plainAliases: EntityAlias[];
  /** Entities without policies; their people have what roles and groups give. */
  plainEntities: number;
  /** Entities that no one signs in as, with the policies that they have once enabled. */
  disabled: { name: string; policies: string[] }[];
}

/** The login graph that a service's answers show. Parts that could not be read are `unreadable`, not absent. */
export function liveGraphOf(
  answers: LiveAnswers,
  { known, knownOnly, undeclared, whole }: LiveScope,
): LiveGraph {
  const { mounts, wanted, configs, entities, programs, written, status } = answers;
  const paths = new Map([...mounts].map(([path, { accessor }]) => [accessor, path]));
  const hasAll = (undeclared || whole) && !knownOnly;
  const { groups, ids, gone, internal } = readGroups(answers.groups, paths, known, knownOnly);
  const ofOthers = answers.otherMethods && ofOtherMethods(answers.otherMethods, mounts, answers.unreadable);
  const graph = emptyGraph();
  for (const { resource, found: parts } of answers.parts)
    for (const part of parts) addPart(graph, resource, part);
  graph.methods = configs.flatMap(({ path, config }): AuthMethod[] =>
    config === undefined ? [] : [methodFromWire(path, mounts.get(path) ?? {}, config)],
  );
  graph.groups = groups.map(({ group }) => group);
  graph.aliases = groups.flatMap(({ alias }) => alias ?? []);
  const inner = internal(entities);
  const ofOwn = entities.filter(({ policies }) => policies.length > 0);
  const enabled = ofOwn.filter(({ isDisabled }) => !isDisabled);
  const mayBeElsewhere = whole && hasAll && !keepsToNamespace(status);
  const strangers = mayBeElsewhere ? strangersIn(inner, entities, ids, answers.unreadable) : [];
  const unreadable = [...answers.unreadable, ...strangers, ...unknownProviders(configs)];
  let plainAliases: EntityAlias[] = [];
  if (whole) {
    const bearing = ofEntities(entities, isMemberOf(inner), paths);
    graph.identities = [...inner, ...bearing.identities];
    plainAliases = bearing.plainAliases;
    const isElsewhere = ({ method }: GroupAlias) => !wanted.includes(method);
    graph.others = [
      ...(ofOthers?.others ?? []),
      ...bearing.others,
      ...guardsOf(answers, ids, paths),
      ...(answers.tokens ? ofTokens(answers.tokens, entities, paths) : []),
      ...programs.flatMap(({ method, names }) =>
        names.map((name) => ({ kind: 'program' as const, method, name })),
      ),
      ...graph.aliases.filter(isElsewhere).map((alias) => elsewhereAs(alias, mounts)),
    ];
    graph.aliases = graph.aliases.filter((alias) => !isElsewhere(alias));
    if (written !== undefined) graph.policies.push(written);
    if (answers.credentials !== undefined) graph.credentials = [...answers.credentials];
  } else if (inner.length + enabled.length > 0) {
    graph.identities = [...inner, ...enabled.map(({ kind, name, policies }) => ({ kind, name, policies }))];
  }
  const complete = completeOf(answers, unreadable, hasAll ? { ofOthers: ofOthers?.complete } : undefined);
  return {
    graph: { ...graph, complete: knownOnly ? [] : [...complete, ...completeSets(answers, unreadable)] },
    unreadable,
    ids: {
      mount: Object.fromEntries(paths),
      group: Object.fromEntries(nameById(ids)),
      entity: Object.fromEntries(nameById(entities.flatMap(withMerged))),
    },
    orphans: groups.flatMap(({ orphan }) => orphan ?? []),
    gone,
    undeclared: undeclared ? undeclaredIn(answers) : [],
    plainAliases,
    plainEntities: entities.length - ofOwn.length,
    disabled: ofOwn.filter(({ isDisabled }) => isDisabled).map(({ name, policies }) => ({ name, policies })),
  };
}

/** Methods with settings for a provider that no table has: which groups a sign-in is in may be any. */
function unknownProviders(configs: LiveAnswers['configs']): Unreadable[] {
  return configs.flatMap(({ path, config }) =>
    hasUnknownProvider(config ?? {})
      ? [
          {
            subject: { type: 'method', name: path, field: 'providerConfig' },
            why: 'it has settings for a provider that this version of Gatehouse does not know',
          },
        ]
      : [],
  );
}

/** Another text of the policy `default`, and what stands in no auth method. */
function undeclaredIn({ written, status, apart }: LiveAnswers): Difference[] {
  return [...(written === undefined ? [] : rewrittenDefault(written.text, status)), ...apart];
}

/** Whether an entity is in one of the groups itself, by its name. */
function isMemberOf(groups: readonly Identity[]): (name: string) => boolean {
  const members = groups.flatMap((group) => group.members ?? []).filter(({ kind }) => kind === 'entity');
  const names = new Set(members.map(({ name }) => name));
  return (name) => names.has(name);
}

const nameById = (named: readonly { id: string; name: string }[]) =>
  new Map(named.map(({ id, name }) => [id, name]));

/** An alias of a group on a method that was not to be read with its roles. */
const elsewhereAs = ({ name, method, group }: GroupAlias, mounts: LiveAnswers['mounts']) =>
  otherAlias(name, method, typeOf(mounts.get(method) ?? { type: 'unknown' }), group);

/** Login enforcements, with names for the ids of what they are about. */
function guardsOf(
  { guards = [], entities }: LiveAnswers,
  groupIds: readonly { id: string; name: string }[],
  paths: ReadonlyMap<unknown, string>,
): Guard[] {
  const names = {
    group: nameById(groupIds),
    entity: nameById(entities.flatMap(withMerged)),
    mount: paths,
  };
  return guards.map(({ name, fields }) =>
    loginEnforcement(name, fields, (kind, id) => names[kind].get(id) ?? id),
  );
}

/** What is in no auth method, where all of it was read. */
function completeSets(
  { tokens, guards, hasAllCredentials = false, hasNoNamespaces = false }: LiveAnswers,
  unreadable: readonly Unreadable[],
): Complete[] {
  const hasTokens = tokens !== undefined && !unreadable.some(({ subject }) => subject.name === 'tokens');
  const list = apartList('enforcement');
  const hasGuards = guards !== undefined && !unreadable.some(({ subject }) => subject.name === list);
  return [
    ...(hasTokens ? [{ list: 'tokens' as const }] : []),
    ...(hasGuards ? [{ list: 'guards' as const }] : []),
    ...(hasAllCredentials ? [{ list: 'credentials' as const }] : []),
    ...(hasNoNamespaces ? [{ list: 'namespaces' as const }] : []),
  ];
}

/** What was listed, and read one by one: all of it, where other methods were read, too. */
function completeOf(
  answers: Pick<LiveAnswers, 'configs' | 'mounts' | 'programs'>,
  unreadable: Unreadable[],
  all: { ofOthers: Complete[] | undefined } | undefined,
): Complete[] {
  const methods = answers.configs.map(({ path }) => path);
  const isRead = (type: Subject['type'], method?: string) =>
    !unreadable.some(({ subject }) => subject.type === type && subject.method === method);
  const programs = all === undefined ? [] : answers.programs;
  const ofOthers = all?.ofOthers;
  const hasPrograms = (method: string) =>
    programs.some((program) => program.method === method && program.names.length > 0);
  const hasGroups = isRead('group');
  const hasRoles = methods.filter(
    (method) =>
      all !== undefined && isRead('role', method) && (ofOthers !== undefined || !hasPrograms(method)),
  );
  const otherMounts = [...answers.mounts.keys()].filter((path) => !methods.includes(path));
  const hasMounts =
    ofOthers !== undefined && otherMounts.every((path) => ofOthers.some(({ method }) => method === path));
  const complete: (Complete | false)[] = [
    ofOthers !== undefined && isRead('method') && { list: 'methods' },
    hasGroups && { list: 'groups' },
    hasGroups && { list: 'aliases' },
    isRead('policy') && { list: 'policies' },
    ofOthers !== undefined && hasGroups && isRead('entity') && { list: 'identities' },
    hasMounts && isRead('entity') && programs.every(({ names }) => !names.length) && { list: 'others' },
    ...(ofOthers ?? []),
    ...hasRoles.map((method) => ({ list: 'roles' as const, method })),
  ];
  return complete.filter((list) => list !== false);
}
