import type * as pulumi from '@pulumi/pulumi';
import { AuthMethod } from '../../components/auth-method.ts';
import { CustomMessage } from '../../components/custom-message.ts';
import { ExternalGroup } from '../../components/external-group.ts';
import { InternalGroup } from '../../components/internal-group.ts';
import { Namespace } from '../../components/namespace.ts';
import { Policy } from '../../components/policy.ts';
import { Role } from '../../components/role.ts';
import { providers } from '../../providers/providers.ts';

/** The class of a component. Its arguments are checked against the schema before. */
type Component = new (
  name: string,
  args: never,
  opts?: pulumi.ComponentResourceOptions,
) => pulumi.ComponentResource;

const classes: Component[] = [
  AuthMethod,
  Role,
  ExternalGroup,
  InternalGroup,
  Namespace,
  Policy,
  CustomMessage,
  ...Object.values(providers),
];

/** The components of the package, by name. */
export const components: ReadonlyMap<string, Component> = new Map(
  classes.map((component) => [component.name, component]),
);
