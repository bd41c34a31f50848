import { formatInstant } from '../values/instant.ts';
import type { HclValue } from './hcl.ts';
import { type PathRule, pathBlocks } from './parse-policy.ts';

/** Rules as the text of a policy; undefined where one has a limit that cannot be written here. */
export function policyText(rules: readonly PathRule[]): string | undefined {
  const isPlain = ({ otherLimits, allowedParameters = {}, deniedParameters = {} }: PathRule) =>
    otherLimits === undefined &&
    [...Object.values(allowedParameters), ...Object.values(deniedParameters)]
      .flat()
      .every((value) => typeof value !== 'object');
  if (!rules.every(isPlain)) return undefined;
  return `${rules.map(ruleText).join('\n\n')}\n`;
}

/** Whether a text of a policy is HCL with blocks, so that one more can be put below. */
export function hasBlocks(text: string): boolean {
  return !text.trimStart().startsWith('{') && pathBlocks(text).every(({ start }) => start !== undefined);
}

/** A rule as a block of HCL. Without limits that are not modeled. */
export function ruleText(rule: PathRule): string {
  const { path, capabilities, allowedParameters, deniedParameters, requiredParameters = [] } = rule;
  const { minWrapping, maxWrapping, eventTypes, expires } = rule;
  return [
    `path ${JSON.stringify(path)} {`,
    `  capabilities = ${list(capabilities)}`,
    ...parameters('allowed_parameters', allowedParameters),
    ...parameters('denied_parameters', deniedParameters),
    ...(requiredParameters.length === 0 ? [] : [`  required_parameters = ${list(requiredParameters)}`]),
    ...(minWrapping === undefined ? [] : [`  min_wrapping_ttl = "${minWrapping}s"`]),
    ...(maxWrapping === undefined ? [] : [`  max_wrapping_ttl = "${maxWrapping}s"`]),
    ...(eventTypes === undefined ? [] : [`  subscribe_event_types = ${list(eventTypes)}`]),
    ...(expires === undefined ? [] : [`  expiration = "${formatInstant(expires)}"`]),
    '}',
  ].join('\n');
}

function parameters(name: string, values: Record<string, HclValue[]> | undefined): string[] {
  const all = Object.entries(values ?? {});
  if (all.length === 0) return [];
  return [
    `  ${name} = {`,
    ...all.map(([key, allowed]) => `    ${JSON.stringify(key)} = ${list(allowed)}`),
    '  }',
  ];
}

const list = (values: readonly HclValue[]) => `[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
