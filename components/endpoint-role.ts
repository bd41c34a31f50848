import * as pulumi from '@pulumi/pulumi';
import { type BoundClaims, fitsOfficialRole } from '../core/model/resources/bound-claims.ts';
import { sortedJson } from '../core/model/resources/field.ts';
import { endpointToken, type RoleFields, roleToken } from '../core/model/resources/role.ts';
import { roleBody } from '../core/model/resources/role-body.ts';
import { asGo } from '../core/model/values/json.ts';
import { isPlain, mapInput } from './map-input.ts';
import { type RoleArgs, RoleResource, replacedInPlace } from './role-resource.ts';

/**
 * A role whose bound claims the official resource of a role cannot hold: booleans, numbers, several texts with one that
 * has a comma. It is the official resource for a write to any path, `vault.generic.Endpoint`, with the whole role as
 * its body: what the service reads back is what was written, so nothing differs (docs/adr/0010-typed-bound-claims.md).
 *
 * Not a subclass of the official one, which marks its body secret: nothing in a role is.
 */
export class EndpointRole extends pulumi.CustomResource {
  constructor(name: string, args: RoleArgs, opts?: pulumi.CustomResourceOptions) {
    const { method, name: roleName, namespace, ...fields } = args;
    super(
      endpointToken,
      name,
      {
        path: pulumi.interpolate`auth/${method}/role/${roleName}`,
        dataJson: mapInput(fields as pulumi.Input<RoleFields>, bodyText),
        // A service tells more of a role than a stack declares.
        ignoreAbsentFields: true,
        ...(namespace !== undefined && { namespace }),
      },
      { ...opts, ...replacedInPlace(endpointToken, roleToken, opts) },
    );
  }
}

/** The resource for a role with these bound claims: the official one, unless they are known and it cannot hold them. */
export function roleResource(
  boundClaims: RoleArgs['boundClaims'] = {},
): typeof RoleResource | typeof EndpointRole {
  return !isPlain(boundClaims) || fitsOfficialRole(boundClaims as BoundClaims) ? RoleResource : EndpointRole;
}

/** As Go writes JSON: the official resource compares texts. */
function bodyText(fields: RoleFields): string {
  return asGo(sortedJson(roleBody(fields)));
}
