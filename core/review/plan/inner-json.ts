import { requireShallow } from '../../model/values/nesting.ts';

/**
 * The value of a text that a plan has as JSON; undefined where it is none.
 *
 * @throws GatehouseError `nested_too_deep`
 */
export function innerJson(text: string): { value: unknown } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  requireShallow(value, 'a text of the plan that is JSON');
  return { value };
}
