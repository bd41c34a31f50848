import { isWriting } from '../../access/administration.ts';
import type { Change, UnmodeledPart } from '../../graph/change.ts';
import { type Graph, isComplete } from '../../graph/graph.ts';
import { namedIn } from '../../graph/nodes/bounds.ts';
import { takesOpenOrders } from '../../graph/nodes/credential-wire.ts';
import { entityOfNode, groupOfNode, identityOf, ofKind } from '../../graph/nodes/other-node.ts';
import { Acl } from '../../graph/policies/acl.ts';
import { type PathRule, readPolicy } from '../../graph/policies/parse-policy.ts';
import { method } from '../../graph/resources/auth-method.ts';
import { undoneByMethods } from '../../graph/resources/inert-types.ts';
import { type Unmodeled, unmodeledElsewhere, unmodeledOf } from '../../graph/resources/unmodeled.ts';
import { shortened } from '../../graph/values/cut.ts';
import { isEqualData } from '../../graph/values/equal-data.ts';
import { isUnset } from '../../graph/values/json.ts';
import { textOf, trimmed } from '../../graph/values/loose-values.ts';
import { namespaceWithin, patternWithin } from '../../graph/values/namespace-path.ts';
import { partName } from '../../graph/values/visible.ts';
import { isSource } from './credential-sources.ts';
import { isNarrowed, methodsDecided, methodsWithTokens } from './decided-methods.ts';
import { enginesIn, isKnownPath, mayBeFactorKey, rowsAt } from './engine-paths.ts';
import { pathOf } from './identities.ts';
import { loggedParts } from './logged-parts.ts';
import { isNewlyThere } from './newly-there.ts';
import type { CredentialFlow, PlannedResource, PlannedSide } from './planned-resource.ts';
import { nameOfType, typeInPlan } from './resource-types.ts';
import { ServiceInSight } from './service-in-sight.ts';

/** A place with what the plan does to it there. */
interface PlacedResources {
  place: { server?: string; namespace?: string };
  change: Change;
  resources: readonly PlannedResource[];
}

/** Names that a line lists. */
const mostNamed = 3;

/**
 * What a plan touches that no answer works out, and by which a token could be gained: one list a place, in their order. All
 * places of a server count: a method may trust what another namespace signs.
 *
 * @param elsewhere what was read of namespaces that the plan does not touch
 */
export function unmodeledParts(
  places: readonly PlacedResources[],
  flows: readonly CredentialFlow[],
  elsewhere: readonly Graph[],
): UnmodeledPart[][] {
  return places.map((place) => {
    const sameServer = places.filter((other) => other.place.server === place.place.server);
    const service = new ServiceInSight([...sameServer.map(({ change }) => change.after), ...elsewhere]);
    const engines = enginesIn(sameServer.flatMap(({ resources }) => resources));
    return [
      ...ofTypes(place, service, engines),
      ...ofPaths(place, engines),
      ...loggedParts(place.resources),
      ...ofIdentities(place, service),
      ...ofFlows(place, flows, service),
      ...ofFirstSet(place),
      ...ofNamespaces(place, sameServer),
    ];
  });
}

/** The same of what became of a service: no plan says what else changed of its identity tokens. */
export function unmodeledBetween(change: Change): UnmodeledPart[] {
  const isRead = [change.before, change.after].every((graph) => isComplete(graph, 'credentials'));
  return ofIdentities({ place: {}, change, resources: [] }, new ServiceInSight([change.after]), !isRead);
}

/** A part of a plan that a row is about. */
interface Touched {
  row: Unmodeled;
  name: string;
  address: string;
  /** Edges say what it gives a credential for, where all that trusts it is known. */
  isModeled?: boolean;
  /** Path of the engine that it is in. */
  mount?: string | undefined;
}

function ofTypes(
  { resources, change }: PlacedResources,
  service: ServiceInSight,
  engines: ReadonlyMap<string, string>,
): UnmodeledPart[] {
  const touched = resources.flatMap((resource): Touched[] => {
    const { type, of, changes, before, after, address } = resource;
    // What goes lets no one in.
    if (type !== 'inert' || !changes || after === undefined) return [];
    if (of.startsWith('generic ')) {
      return rowsFor(service, rowsAt(after, engines)).map((row) => ({
        row,
        name: `write to ${after.fields['path']}`,
        address,
      }));
    }
    if (isNarrowed(resource)) return [];
    const rows = [...unmodeledOf(nameOfType(of)), ...undoneByMethods(nameOfType(of))];
    return rows
      .filter((row) => decides(row, resource, before, after))
      .filter(({ isOpen }) => !isOpen || takesOpenOrders(after) !== true)
      .map((row) => ({
        row,
        name: wordsOf(of, after),
        address,
        isModeled: isSource(of) && !row.isOpen,
        mount: textOf(after.fields['backend']),
      }));
  });
  return [...Map.groupBy(touched, ({ row }) => row)].flatMap(([row, all]) => {
    const { by, trusting, closes, isOpen, isRead, isInSightOnly } = row;
    const mounts = all.flatMap(({ mount }) => (mount === undefined ? [] : trimmed(mount)));
    const decided = all.every(({ isModeled }) => isModeled) ? methodsDecided(change, mounts) : [];
    const isOpenAt = (path: string) => !decided.includes(path);
    const narrowed = { of: change.after, to: (paths: string[]) => paths.filter(isOpenAt) };
    const methods = service.trusting(trusting, narrowed);
    const through = [...new Set(all.map(({ name }) => name))];
    const subject = { type: 'other' as const, name: shortened(through, mostNamed) };
    const addresses = all.map(({ address }) => address);
    const part = { subject, addresses, ...(!isRead && { mayLose: true as const }), closes };
    if (isOpen || isRead) return { ...part, isInSight: true, effect: { of: 'gains', by, through } };
    if (methods.length === 0 && (service.hasAllMethods || isInSightOnly)) return [];
    return { ...part, isInSight: methods.length > 0, effect: { of: 'sign-ins', by, through, methods } };
  });
}

/** Writes to paths of secrets engines that no table has. */
function ofPaths({ resources }: PlacedResources, engines: ReadonlyMap<string, string>): UnmodeledPart[] {
  return resources.flatMap(({ type, of, changes, after, address }): UnmodeledPart[] => {
    if (type !== 'inert' || of !== 'generic endpoint' || !changes || after === undefined) return [];
    const isOfType = rowsAt(after, engines).length > 0 || isKnownPath(after, engines);
    if (isOfType && !mayBeFactorKey(after, engines)) return [];
    const path = textOf(after.fields['path']) ?? address;
    return [
      {
        subject: { type: 'other', name: partName('write to', path) },
        addresses: [address],
        isInSight: true,
        mayLose: true,
        effect: { of: 'path', path },
        closes: unmodeledElsewhere.path.closes,
      },
    ];
  });
}

/**
 * Of all that the shape of a path may be, one for each set of methods in sight that trust it; without any, one stands for all, as
 * no list may exclude such a method.
 */
function rowsFor(service: ServiceInSight, rows: readonly Unmodeled[]): Unmodeled[] {
  const byMethods = new Map<string, Unmodeled>();
  for (const row of rows) {
    const methods = JSON.stringify(service.trusting(row.trusting));
    if (!byMethods.has(methods)) byMethods.set(methods, row);
  }
  const none = JSON.stringify([]);
  return byMethods.size > 1
    ? [...byMethods].flatMap(([methods, row]) => (methods === none ? [] : row))
    : [...byMethods.values()];
}

/** Whether something decides who signs in by what it makes: not with only such fields changed as do not matter. */
function decides(
  { needs, only, apart = [], where }: Unmodeled,
  { replaced }: PlannedResource,
  before: PlannedSide | undefined,
  after: PlannedSide,
): boolean {
  const isOff = needs !== undefined && isUnset(after.fields[needs]) && !after.unknown.includes(needs);
  if (isOff) return false;
  if (where !== undefined) return isNewlyThere(where, replaced === undefined ? before : undefined, after);
  if (before === undefined || replaced !== undefined) return only === undefined;
  const names = new Set([...Object.keys(before.fields), ...Object.keys(after.fields), ...after.unknown]);
  const isChanged = (name: string) =>
    after.unknown.includes(name) || !isEqualData(before.fields[name], after.fields[name]);
  return [...names].some(
    (name) => isChanged(name) && !apart.includes(name) && (only === undefined || only.includes(name)),
  );
}

/** `pki secret backend role pki/web` */
function wordsOf(of: string, { fields }: PlannedSide): string {
  const mount = textOf(fields['backend'] ?? fields['mount'] ?? fields['path']);
  const name = namedIn(fields).name ?? textOf(fields['common_name']);
  return mount === undefined && name === undefined ? of : partName(of, mount, name);
}

const ownTokens = { types: [], keysFrom: /(?:^|\/)identity\/oidc(?:\/|$)/ };

/**
 * Templates of the service's own tokens may read each name, member and metadata of groups and entities.
 *
 * @param mayDiffer whether the tokens may have changed otherwise. Defaults to false.
 */
function ofIdentities(
  { change }: PlacedResources,
  service: ServiceInSight,
  mayDiffer = false,
): UnmodeledPart[] {
  const { before, after } = change;
  // Keys that are given may be those of the service. Where no one knows its tokens, every method with such keys would count.
  const givenKeys = isComplete(before, 'credentials') && isComplete(after, 'credentials');
  const trusting = { ...ownTokens, ...(givenKeys && { givenKeys }) };
  if (service.trusting(trusting).length === 0) return [];
  if (!mayDiffer && isEqualData(identitiesIn(before), identitiesIn(after))) return [];
  const narrowed = { of: after, to: (paths: string[]) => methodsWithTokens(paths, change) };
  const methods = service.trusting(trusting, narrowed);
  if (methods.length === 0) return [];
  return [
    {
      subject: { type: 'service', name: 'groups and entities' },
      addresses: [],
      isInSight: true,
      mayLose: true,
      effect: { of: 'identity-tokens', methods },
      closes: unmodeledElsewhere.identities.closes,
    },
  ];
}

/** All that a token of the service can say of groups and entities. */
function identitiesIn({ groups, aliases, identities = [], others }: Graph): unknown {
  return [
    groups.map(({ name, metadata }) => ({ name, metadata })),
    aliases,
    identities.map(({ policies: _, ...rest }) => rest),
    ofKind(others, 'entityAlias', 'otherAlias').map((node) => ({
      identity: identityOf(node),
      entity: entityOfNode(node),
      group: groupOfNode(node),
    })),
  ];
}

function ofFlows(
  { resources }: PlacedResources,
  flows: readonly CredentialFlow[],
  service: ServiceInSight,
): UnmodeledPart[] {
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]));
  return flows.flatMap(({ of, field, to, user }): UnmodeledPart[] => {
    const credential = byAddress.get(of);
    if (credential === undefined || (user !== undefined && !service.hasUser(user))) return [];
    const { fields = {} } = credential.after ?? credential.before ?? {};
    const path = textOf(fields['path']);
    const name = namedIn(fields).name;
    const kind = credential.of.replace(/ auth backend(?: role)?/, '');
    const keptAt = textOf(byAddress.get(to)?.after?.fields['path']) ?? to;
    const isLiteral = of === to;
    const credentialMade = isLiteral
      ? { field: field ?? '', whose: { path: keptAt } }
      : typeInPlan(credential.type).isWrite
        ? { field: 'password', whose: { path: path ?? '' } }
        : { field: field ?? '', whose: { type: kind, name: name ?? of } };
    return [
      {
        subject: { type: 'other', name: to },
        addresses: [to],
        isInSight: true,
        effect: { of: 'credential', ...credentialMade, keptAt },
        closes: unmodeledElsewhere.credential.closes,
      },
    ];
  });
}

function ofFirstSet({ resources }: PlacedResources): UnmodeledPart[] {
  return resources.flatMap(({ type, of, address, after, replaced, firstSet = [] }): UnmodeledPart[] => {
    const isAsking = ['configuration', 'backend', method.type].includes(type);
    if (!isAsking || after === undefined || replaced !== undefined || firstSet.length === 0) return [];
    const path = textOf(after.fields['backend']) ?? pathOf(after, of);
    return [
      {
        subject: { type: 'other', name: `configuration of method ${path}` },
        addresses: [address],
        isInSight: true,
        effect: { of: 'first-set', method: path ?? '', fields: firstSet },
        closes: unmodeledElsewhere.firstSet.closes,
      },
    ];
  });
}

function ofNamespaces(
  { place, resources }: PlacedResources,
  sameServer: readonly PlacedResources[],
): UnmodeledPart[] {
  const namespaces = resources.filter(
    ({ type, of, changes, before, after, replaced }) =>
      type === 'inert' &&
      of === 'namespace' &&
      changes &&
      after !== undefined &&
      (before === undefined ||
        replaced !== undefined ||
        !isEqualData(before.fields['path'], after.fields['path'])),
  );
  const { namespace: own = '' } = place;
  return namespaces.flatMap(({ address, after }): UnmodeledPart[] => {
    const name = after && textOf(after.fields['path']);
    const path = trimmed(name ?? '');
    const above = sameServer.filter(
      ({ place: { namespace = '' } }) =>
        namespace === '' || own === namespace || own.startsWith(`${namespace}/`),
    );
    const reaching = above.flatMap(({ place: { namespace = '' }, change }) => {
      const below = [namespaceWithin(namespace, own), path].filter(Boolean).join('/');
      return change.after.policies.flatMap((policy) => (reachesInto(policy.text, below) ? policy.name : []));
    });
    const part = {
      subject: { type: 'other' as const, name: partName('namespace', path || address) },
      addresses: [address],
      closes: unmodeledElsewhere.namespace.closes,
    };
    const namespace = path || address;
    if (name === undefined || reaching.length > 0)
      return [{ ...part, isInSight: true, effect: { of: 'administration', namespace, policies: reaching } }];
    const isKnown =
      above.some(({ place: { namespace = '' } }) => namespace === own) &&
      above.every(({ change }) => isComplete(change.after, 'policies'));
    if (isKnown) return [];
    return [{ ...part, isInSight: false, effect: { of: 'policies-elsewhere', namespace } }];
  });
}

const administered = ['sys', 'auth', 'identity'];

/**
 * Whether a policy lets write what administers a namespace below, and not in its own. A text that cannot be read may.
 */
function reachesInto(text: string, namespace: string): boolean {
  const rules = readPolicy(text);
  if (rules === undefined) return true;
  // Rules that end do not make an administrator.
  const acl = new Acl([{ name: '', rules }], 2n ** 62n);
  if (acl.allows({ path: 'sys/policies/acl/x', capability: 'update' })) return false;
  return rules.some((rule) => isWritingRule(rule) && isAdministering(patternWithin(rule.path, namespace)));
}

function isWritingRule({ capabilities }: PathRule): boolean {
  return !capabilities.includes('deny') && capabilities.some(isWriting);
}

/** Whether a pattern inside a namespace may match paths that administer it. */
function isAdministering(pattern: string | undefined): boolean {
  if (pattern === undefined) return false;
  const [first = ''] = pattern.split('/');
  const isStart = first === pattern && first.endsWith('*');
  return administered.some(
    (name) => first === '+' || (isStart ? name.startsWith(first.slice(0, -1)) : first === name),
  );
}
