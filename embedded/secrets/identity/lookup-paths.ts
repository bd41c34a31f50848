import { textField } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { entityAliasedAs, entityNamed, entityOfAlias, readEntity } from './entity.ts';
import { entityAnswer } from './entity-answer.ts';
import { groupAliasedAs, groupNamed, groupOfAlias, readGroup } from './group.ts';
import { groupAnswer } from './group-answer.ts';

/** How entities and groups are found (openbao/openbao vault/identity_lookup.go). What is not there answers nothing. */
export const lookupPaths: SecretsPath[] = [
  { pattern: 'identity/lookup/entity', operations: { update: lookUpEntity } },
  { pattern: 'identity/lookup/group', operations: { update: lookUpGroup } },
];

function lookUpEntity(context: RequestContext): Reply {
  const { storage, request } = context;
  const entity = find(context, {
    id: (id) => readEntity(storage, request.namespace, id),
    name: (name) => entityNamed(storage, request.namespace, name),
    aliasId: (id) => entityOfAlias(storage, request.namespace, id),
    alias: (mount, name) => entityAliasedAs(storage, request.namespace, mount, name),
  });
  return entity === undefined ? {} : { data: entityAnswer(storage, request.namespace, entity) };
}

function lookUpGroup(context: RequestContext): Reply {
  const { storage, request } = context;
  const group = find(context, {
    id: (id) => readGroup(storage, request.namespace, id),
    name: (name) => groupNamed(storage, request.namespace, name),
    aliasId: (id) => groupOfAlias(storage, request.namespace, id),
    alias: (mount, name) => groupAliasedAs(storage, request.namespace, mount, name),
  });
  return group === undefined ? {} : { data: groupAnswer(storage, request.namespace, group) };
}

interface Finders<Found> {
  id: (id: string) => Found | undefined;
  name: (name: string) => Found | undefined;
  aliasId: (id: string) => Found | undefined;
  alias: (mountAccessor: string, name: string) => Found | undefined;
}

/** Finds by the one thing the body says: an id, a name, an alias's id, or its name together with its mount. */
function find<Found>({ request: { body } }: RequestContext, by: Finders<Found>): Found | undefined {
  const [id, name, aliasId, aliasName, mount] = [
    'id',
    'name',
    'alias_id',
    'alias_name',
    'alias_mount_accessor',
  ].map((field) => textField(body, field) ?? '');
  const ways: (() => Found | undefined)[] = [];
  if (id) ways.push(() => by.id(id));
  if (name) ways.push(() => by.name(name));
  if (aliasId) ways.push(() => by.aliasId(aliasId));
  if (aliasName || mount) {
    ways.push(() => {
      if (aliasName && mount) return by.alias(mount, aliasName);
      throw new Refusal(400, "both 'alias_name' and 'alias_mount_accessor' needs to be set");
    });
  }
  const [only, ...more] = ways;
  if (only === undefined) throw new Refusal(400, 'query parameter not supplied');
  if (more.length > 0) {
    throw new Refusal(400, 'query parameter conflict; please supply distinct set of query parameters');
  }
  return only();
}
