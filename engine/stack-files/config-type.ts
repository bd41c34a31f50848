import type { RenderedValue } from './config-value.ts';
import type { ItemType } from './project-file.ts';

/**
 * Whether a value is of the type that the project declares (pulumi/pulumi
 * `sdk/go/common/workspace/project.go`, `ValidateConfigValue`).
 */
export function hasDeclaredType(value: RenderedValue, type: string, items: ItemType | undefined): boolean {
  // A scalar is text by then, whatever it was in the YAML.
  return matches(value.kind === 'scalar' ? value.text : JSON.parse(value.json), { type, items });
}

function matches(content: unknown, { type, items }: ItemType): boolean {
  switch (type) {
    case 'string':
      return typeof content === 'string';
    case 'integer':
      return Number.isInteger(content) || (typeof content === 'string' && /^[-+]?\d+$/.test(content));
    case 'boolean':
      return typeof content === 'boolean' || content === 'true' || content === 'false';
    case 'object':
      return typeof content === 'object' && content !== null && !Array.isArray(content);
    case 'array':
      return (
        Array.isArray(content) && items !== undefined && content.every((element) => matches(element, items))
      );
    default:
      return false;
  }
}
