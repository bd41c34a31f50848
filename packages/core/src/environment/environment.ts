import { z } from 'zod';
import { exceptionSettings } from '../graph/exception-settings.ts';
import { authority, baseSetting } from '../graph/kinds/kind.ts';
import { kindById, kindNamed, kinds, type ProviderKind, unknownKind } from '../graph/kinds/kinds.ts';
import { knownSettings } from '../graph/known.ts';
import { promiseSettings } from '../graph/promise-settings.ts';
import { messageSettings } from '../graph/resources/custom-message.ts';
import { internalGroupSettings } from '../graph/resources/internal-group.ts';
import { policySettings } from '../graph/resources/policy.ts';
import { resources } from '../graph/resources/resources.ts';
import { limits } from '../graph/values/limits.ts';
import { namespacePath } from '../graph/values/namespace-path.ts';
import { type Problem, parseOptions, placeText, problemIn, problemLines } from '../graph/values/problem.ts';
import { Dialect } from '../graph/values/wire.ts';
import { deploymentSettings } from './deployment-settings.ts';
import { environmentProblems } from './environment-checks.ts';
import { type Expanded, expandTemplates, ofUnused, templateShape } from './environment-templates.ts';
import { invalidEnvironment } from './invalid-environment.ts';
import { reviewSettings } from './review-settings.ts';
import { rulePresetNames } from './rule-presets.ts';
import { runTaskSettings } from './run-task-settings.ts';

/** Scheme, host and perhaps a port. Other parts of a URL would be lost, or shown where they should stay secret. */
const origin = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true })
  .refine((url) => /^https?:\/\/[^/?#@]+\/*$/i.test(url), 'scheme, host and port are all that it may hold')
  .transform((url) => url.replace(/\/+$/, ''));

/** A namespace that an environment makes or uses. */
const namespaceSettings = z.strictObject({
  path: namespacePath.describe('Path below the environment’s own namespace, such as `shop` or `shop/web`.'),
  exists: z
    .boolean()
    .default(false)
    .describe(
      'It is made elsewhere: what is declared for it goes there, and it is left alone. Defaults to false.',
    ),
});

const service = z.strictObject({
  /** Address of the secrets service: `scheme://host[:port]`. */
  address: origin,
  /** Which spellings our side sends. Defaults to `vault`. */
  dialect: z.enum(Dialect).default('vault'),
  /** Namespace that holds the whole environment. Defaults to the service's root. */
  namespace: z.string().min(1).optional(),
  /** Where Gatehouse signs in with a JWT: `VAULT_JWT_<STACK>` or `VAULT_JWT_<SERVICE>`. Defaults to not at all. */
  signIn: z
    .strictObject({
      /** Path of the auth method, in the environment's namespace. */
      path: z.string().regex(/^[^\s/]+(\/[^\s/]+)*$/, 'must be the path of an auth method, as in ci'),
      role: z.string().min(1),
    })
    .optional(),
  /** Address of the service's pages, as people reach them. Defaults to `address`. */
  uiAddress: authority.optional(),
  /** Address of `gatehouse serve`, as people reach its pages: they may sign in there. Defaults to none. */
  platformAddress: authority.optional(),
  features: z
    .strictObject({
      /** False where the service has no custom messages: they are then left out. Defaults to true. */
      messages: z.boolean().default(true),
      /** True where rules of policies take an `expiration` (OpenBao). Defaults to false. */
      expiration: z.boolean().optional(),
    })
    .default({ messages: true }),
});
/** The secrets service of an environment. */
export type ServiceSettings = z.output<typeof service>;

type ProviderSchema = (typeof kinds)[ProviderKind]['settings'];
const provider = z.discriminatedUnion(
  'kind',
  Object.values(kinds).map(({ settings }): ProviderSchema => settings) as [
    ProviderSchema,
    ...ProviderSchema[],
  ],
  {
    error: (issue) => {
      if (issue.code !== 'invalid_union') return undefined;
      const { what, allowed, fix } = unknownKind((issue.input as { kind?: unknown }).kind);
      return `${what}; allowed: ${allowed}${fix === undefined ? '' : `; ${fix}`}`;
    },
  },
);

/** Lists whose entries are written as a graph holds them. Only `declare` reads them, by the descriptions of resources. */
const ownLists = Object.fromEntries(
  resources.flatMap(({ yaml }) => (yaml?.settings ? [[yaml.list, z.array(yaml.settings).default([])]] : [])),
) as Record<never, never>;

/** The schema of a stack's configuration under `gatehouse:`. */
export const environmentSchema = z.strictObject({
  service,
  /**
   * An identity provider that plays all kinds, for development: a provider without an address of its own gets the base
   * URL of its kind below this address.
   */
  identity: z.strictObject({ address: authority }).optional(),
  /** Namespaces that the environment makes or uses, below its own. */
  namespaces: z.array(namespaceSettings).default([]),
  providers: z.array(provider).default([]),
  /** Names of the providers that have a client secret; the secrets themselves are never in here. */
  clientSecrets: z.array(z.string()).default([]),
  /** Names of the workspace suite providers whose service account key is given as a secret. */
  serviceAccountKeys: z.array(z.string()).default([]),
  /** Groups of groups. Groups of people are declared below their provider. */
  groups: z.array(internalGroupSettings).default([]),
  policies: z.array(policySettings).default([]),
  ...ownLists,
  messages: z
    .array(messageSettings)
    .max(
      limits.customMessagesPerNamespace,
      `a namespace holds at most ${limits.customMessagesPerNamespace} messages`,
    )
    .default([]),
  /** Run tasks that must answer before a deployment continues. */
  runTasks: z.array(runTaskSettings).default([]),
  /** Names of the run tasks whose requests are signed; the keys themselves are never in here. */
  runTaskKeys: z.array(z.string()).default([]),
  /** How the stack is deployed through a platform. */
  deployments: deploymentSettings.default({ confirm: 'never' }),
  /** Access that every change must keep: who may do what, and who must be able to. */
  promises: z.array(promiseSettings).default([]),
  /** Findings that are accepted, each until its end. They count once a base revision has them. */
  exceptions: z.array(exceptionSettings).default([]),
  /** Which signed reviews let a change be applied. Defaults to none: a change needs no statement. */
  reviews: reviewSettings.optional(),
  /** Parts that are on the service on purpose and managed elsewhere. */
  known: z.array(knownSettings).default([]),
  /** The rules that judge the environment. */
  rules: z
    .strictObject({
      /** Severities of findings. Defaults to the severity of each rule. */
      preset: z
        .enum(rulePresetNames, {
          error: ({ input }) =>
            `there is no preset ${JSON.stringify(input)}; allowed: ${rulePresetNames.join(', ')}`,
        })
        .optional(),
      /** Rules that are off: rule id → the reason. Defaults to none. */
      disabled: z
        .record(z.string(), z.string().trim().min(1, 'give the reason why the rule is off'))
        .default({}),
    })
    .default({ disabled: {} }),
});

/** An environment as people write it: with templates. */
export const writtenSchema = environmentSchema.extend(templateShape);

/** What one stack declares, validated and with every default filled in. */
export type Environment = z.output<typeof environmentSchema>;
/** An identity provider that an environment declares. */
export type Provider = Environment['providers'][number];

/** What a caller knows in addition to the configuration. */
export interface EnvironmentContext {
  /** Ids of the rules that can be turned off. Without them every id is accepted. */
  ruleIds?: readonly string[];
  /** Problems of the secrets; an environment holds only their names. */
  secretProblems?: readonly { path: (string | number)[]; message: string }[];
  /** Name of the stack, for the commands that fix a problem. */
  stack?: string;
  /** Where a path of the YAML is: `Pulumi.dev.yaml:3:5`. */
  locate?: (path: PropertyKey[]) => string | undefined;
}

/**
 * Validates what a stack's configuration holds under `gatehouse:`.
 *
 * @param written The values of the keys, by name; of the secret keys only the names inside them.
 * @throws GatehouseError `environment_invalid`, with every problem by its place and its path in the YAML.
 */
export function parseEnvironment(
  written: Record<string, unknown>,
  { ruleIds, secretProblems = [], stack, locate }: EnvironmentContext = {},
): Environment {
  const { keys, originOf, withUnused, problems: ofTemplates } = expandTemplates(written);
  const completed = withProviders(keys);
  const parsed = writtenSchema.safeParse(completed, parseOptions);
  const located = ({ first, ...problem }: Omit<Problem, 'use'> & { first?: PropertyKey[] }): Problem => {
    if (first === undefined) return { ...problem, ...originOf(problem.path) };
    const { path, use } = originOf(first);
    const firstAt = placeText({ path }, [use]).slice('gatehouse:'.length);
    return { ...originOf(problem.path), message: `${problem.message}; first at ${firstAt}` };
  };
  const problems = problemLines(
    [
      ...ofTemplates,
      ...(parsed.error?.issues ?? []).map((issue) => located(problemIn(issue))),
      ...(withUnused === undefined ? [] : ofUnused(unusedProblems(withUnused), written['templates'])),
      // A use with problems contributes nothing, so references to its entries would be reported by mistake.
      ...(ofTemplates.length > 0 ? [] : environmentProblems(completed, ruleIds, stack).map(located)),
      ...secretProblems.map(located),
    ],
    locate,
  );
  if (parsed.success && problems.length === 0) {
    return { ...parsed.data, providers: parsed.data.providers.flatMap(declaredProviders) };
  }
  throw invalidEnvironment(problems);
}

function unusedProblems({ keys, originOf, problems }: Expanded): Problem[] {
  const { error } = writtenSchema.safeParse(withProviders(keys), parseOptions);
  const issues = (error?.issues ?? []).map(problemIn);
  return [...problems, ...issues.map((problem) => ({ ...problem, ...originOf(problem.path) }))];
}

function declaredProviders(provider: Provider): Provider[] {
  return (kindById(provider.kind).each?.(provider) as Provider[] | undefined) ?? [provider];
}

/** Path of a kind's base URL at the identity provider that plays all kinds. */
export function identityPath(kind: ProviderKind): string {
  return `/${kind.replaceAll('_', '-')}${kindById(kind).embedded?.endsInSlash ? '/' : ''}`;
}

/** Names kinds by their identifiers, and completes providers that the identity provider for development plays. */
function withProviders(keys: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(keys['providers'])) return keys;
  const address = (keys['identity'] as { address?: unknown } | null | undefined)?.address;
  return {
    ...keys,
    providers: keys['providers'].map((entry: Record<string, unknown> | null) => {
      const kind = kindNamed(entry?.['kind']);
      if (kind === undefined) return entry;
      const { issuer, insteadOfIssuer = [] } = kindById(kind);
      const setting = baseSetting(issuer);
      const isPlayed =
        typeof address === 'string' && ![setting, ...insteadOfIssuer].some((name) => name in (entry ?? {}));
      const base = `${String(address).replace(/\/+$/, '')}${identityPath(kind)}`;
      return { ...entry, kind, ...(isPlayed ? { [setting]: base } : {}) };
    }),
  };
}
