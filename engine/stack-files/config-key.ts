/**
 * The full key, `<namespace>:<name>`, of a key in a stack or project file (pulumi/pulumi
 * `sdk/go/common/resource/config/key.go`): one without a namespace is the project's own, and
 * `<namespace>:config:<name>` is an older spelling.
 *
 * @returns undefined when it is no key.
 */
export function fullConfigKey(key: string, project: string): string | undefined {
  const parts = key.split(':');
  if (parts.length === 1) return `${project}:${key}`;
  if (parts.length === 2) return key;
  if (parts.length === 3 && parts[1] === 'config') return `${parts[0]}:${parts[2]}`;
  return undefined;
}
