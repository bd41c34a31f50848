import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { GatehouseError } from '../../core/model/values/errors.ts';

const levels = ['advisory', 'mandatory', 'remediate', 'disabled'] as const;
/** How a violation of a policy is taken; `remediate` also corrects what it can. */
export type Level = (typeof levels)[number];

/** What is set of a policy. */
export interface PolicyConfig {
  level?: Level | undefined;
  properties: Record<string, unknown>;
}

/** What a pack says of one of its policies. */
export interface PolicyDescription {
  name: string;
  level: Level;
  /** Of its configuration. */
  schema?: { properties: Record<string, unknown>; required: string[] };
}

const level = z.enum(levels);
const configFile = z.record(
  z.string(),
  z.union([level, z.looseObject({ enforcementLevel: level.optional() })]),
);

/**
 * Reads a file of `--policy-pack-config` (pulumi/pulumi `pkg/resource/analyzer/config.go`). An empty one sets nothing.
 *
 * @throws GatehouseError `policy_config_invalid`
 */
export async function readPolicyConfig(path: string): Promise<Map<string, PolicyConfig>> {
  let json: unknown;
  try {
    const text = await readFile(path, 'utf8');
    json = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw invalid(path, isMissing ? 'there is no such file' : 'the file is not JSON');
  }
  const parsed = configFile.safeParse(json);
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    throw invalid(path, `the configuration of ${where || 'the pack'} is not valid`);
  }
  return new Map(
    Object.entries(parsed.data).map(([name, given]) => {
      if (typeof given === 'string') return [name, { level: given, properties: {} }];
      const { enforcementLevel, ...properties } = given;
      return [name, { level: enforcementLevel, properties }];
    }),
  );
}

/**
 * What each policy of a pack is configured with: what it says itself, then what is set first, then `all`, then the
 * policy's own setting.
 *
 * @param settings from the weakest to the strongest
 * @throws GatehouseError `policy_config_invalid`: a policy that the pack does not have, or properties that it refuses
 */
export function reconciled(
  policies: PolicyDescription[],
  settings: { from: string; config: Map<string, PolicyConfig> }[],
): Map<string, Required<PolicyConfig>> {
  const result = new Map(
    policies.map(({ name, level, schema }) => [
      name,
      { level: level as Level | undefined, properties: defaultsOf(schema?.properties ?? {}) },
    ]),
  );
  for (const { from, config } of settings) {
    const all = config.get('all')?.level;
    if (all !== undefined) for (const one of result.values()) one.level = all;
    for (const [name, { level, properties }] of config) {
      if (name === 'all') continue;
      const known = result.get(name);
      if (known === undefined) throw invalid(from, `the pack has no policy ${JSON.stringify(name)}`);
      known.level = level ?? known.level;
      known.properties = { ...known.properties, ...properties };
    }
  }
  for (const { name, schema } of policies) {
    if (schema === undefined) continue;
    const type = z.fromJSONSchema({ type: 'object', ...schema } as Parameters<typeof z.fromJSONSchema>[0]);
    if (type.safeParse(result.get(name)?.properties).success) continue;
    const from = settings.at(-1)?.from ?? name;
    throw invalid(from, `the configuration of policy ${JSON.stringify(name)} is not what its pack asks for`);
  }
  return result as Map<string, Required<PolicyConfig>>;
}

function defaultsOf(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const { default: value } = (schema ?? {}) as { default?: unknown };
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function invalid(where: string, what: string): GatehouseError {
  return new GatehouseError({
    code: 'policy_config_invalid',
    what,
    where,
    allowed: `an object: the name of a policy, or "all" → ${levels.join(', ')}, or an object with enforcementLevel`,
  });
}
