// Makes the components that COMPONENTS lists, as a program in TypeScript does.
import * as pulumi from '@pulumi/pulumi';
import { components } from '../../components.ts';

interface Case {
  component: string;
  name: string;
  args: Record<string, unknown>;
}

for (const { component, name, args } of JSON.parse(process.env['COMPONENTS'] ?? '[]') as Case[]) {
  const Component = components.get(component);
  if (Component === undefined) throw new Error(`there is no component ${component}`);
  new Component(name, withSecrets(args) as never);
}

/** `{ "secret": value }` is a secret. */
function withSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSecrets);
  if (typeof value !== 'object' || value === null) return value;
  if ('secret' in value) return pulumi.secret(value.secret);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withSecrets(inner)]));
}
