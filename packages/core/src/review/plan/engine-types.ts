import { inertTypes } from '../../graph/resources/writes.ts';

/** Types of engines that no row is of. */
const otherEngines = ['cubbyhole', 'generic', 'identity', 'kv', 'kv-v1', 'kv-v2', 'totp'];

/** Types of mounts that differ from the names of resources. */
const engineTypes: Readonly<Record<string, string>> = {
  pki_external_ca: 'pki-external-ca',
  terraform_cloud: 'terraform',
};

/** The type of the secrets engine that a type of resources is of: `pki`. */
export function engineOf(type: string): string {
  const [, name = ''] = /^vault_(keymgmt|transform|\w+?(?=_secret))/.exec(type) ?? [];
  return engineTypes[name] ?? name;
}

const engineNames = new Set([...otherEngines, ...inertTypes.map(engineOf)]);

/** Whether a mount of a type may be such an engine: a program of someone else may be any. */
export function mayBeEngine(type: string, engine: string): boolean {
  return type === engine || !engineNames.has(type);
}
