import * as pulumi from '@pulumi/pulumi';
import { roleResource } from '../../components/endpoint-role.ts';
import { mapInput } from '../../components/map-input.ts';
import type { RoleArgs } from '../../components/role.ts';
import { boundClaims } from '../../core/model/resources/bound-claims.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';

/** A role of an auth method: who signs in, and what they get. */
export class Role extends pulumi.ComponentResource {
  /** Path of the role in the service. */
  readonly path: pulumi.Output<string>;

  constructor(name: string, args: RoleArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Role', name, {}, opts);
    const bound = args.boundClaims && (mapInput(args.boundClaims, checked) as RoleArgs['boundClaims']);
    const RoleResource = roleResource(bound);
    const role = new RoleResource(
      `${name}-role`,
      { ...args, ...(bound && { boundClaims: bound }) },
      { parent: this },
    );
    this.path = role.id;
    this.registerOutputs({ path: this.path });
  }
}

/** The types of other languages let anything be bound. */
function checked<Claims>(given: Claims): Claims {
  const parsed = boundClaims.optional().safeParse(given);
  if (parsed.success) return given;
  throw new GatehouseError({
    code: 'inputs_invalid',
    what: 'a role cannot bind these claims',
    fix: parsed.error.issues
      .map(({ path, message }) => `${['boundClaims', ...path].join('.')}: ${message}`)
      .join('\n  '),
  });
}
