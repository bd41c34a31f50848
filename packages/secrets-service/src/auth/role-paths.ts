import { roleFields } from '@gatehouse/core/graph';
import { z } from 'zod';
import { mountOf, systemTtl } from '../mounts/mount.ts';
import { keysReply, orNotFound } from '../protocol/answer.ts';
import { listOnly, op, type Reply, type RequestContext, route, type SecretsPath } from '../protocol/path.ts';
import { oneError, RequestRefusal } from '../protocol/refusal.ts';
import { answerFields, bodyFields, keys } from '../protocol/schemas.ts';
import { roleData, rolesOf, type StoredRole, writtenRole } from './role.ts';

const data = z.strictObject(answerFields(roleFields, (name) => !name.startsWith('token_')));
const body = z.object(bodyFields(roleFields));

export const rolePaths: SecretsPath[] = [
  listOnly('auth/{mount}/role', 'List the roles of an auth method', list, keys),
  route(
    'auth/{mount}/role/:name',
    {
      read: op('Read a role', read, { data }),
      update: op('Write a role; omitted fields are kept', write, { body }),
      delete: op('Delete a role', remove),
    },
    { exists },
  ),
];

/** Names are lower case, of letters, digits, `_`, `-` and `.`. */
function nameOf({ parameters: { name } }: RequestContext): string {
  if (/^\w(?:[\w.-]*\w)?$/.test(name)) return name.toLowerCase();
  throw new RequestRefusal(404, oneError('unsupported path'));
}

/** The one path of auth methods where real servers distinguish `create` from `update` (path_role.go). */
function exists(context: RequestContext): boolean {
  return roleOf(context) !== undefined;
}

function roleOf(context: RequestContext): StoredRole | undefined {
  return rolesOf(mountOf(context)).get(context, nameOf(context));
}

function list(context: RequestContext): Reply {
  return keysReply(rolesOf(mountOf(context)).names(context));
}

function read(context: RequestContext): Reply {
  return { data: roleData(orNotFound(roleOf(context))) };
}

function write(context: RequestContext): Reply {
  const name = nameOf(context);
  const mount = mountOf(context);
  const longest = mount.config.max_lease_ttl || systemTtl;
  const role = writtenRole(context.body, longest, roleOf(context));
  rolesOf(mount).put(context, name, role);
  const warnings: string[] = [];
  if (role.token_max_ttl > longest) {
    warnings.push(
      "token max ttl is greater than the system or backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
    );
  }
  if (role.verbose_oidc_logging) {
    warnings.push(
      'verbose_oidc_logging has been enabled for this role. This is not recommended in production since sensitive information may be present in OIDC responses.',
    );
  }
  return { warnings };
}

function remove(context: RequestContext): Reply {
  rolesOf(mountOf(context)).delete(context, nameOf(context));
  return {};
}
