// Only the type: the kinds' schemas take long to load, and `gatehouse --help` needs none of them.
import type { ProviderKind } from '../core/model/kinds/kind.ts';

/** One thing that an administrator must say about a provider of some kind. */
export interface InitQuestion {
  /** The setting's name in the YAML; on the command line in kebab case. */
  setting: string;
  /** What is asked for, with an example where that helps. */
  asks: string;
  /** True when several are given, separated by commas. */
  list?: boolean;
}

const clientId: InitQuestion = { setting: 'clientId', asks: 'client (application) id' };

/** What has no default, by kind. Everything else is set in the file afterwards. */
export const initQuestions: Record<ProviderKind, InitQuestion[]> = {
  cloud_directory: [
    { setting: 'tenantId', asks: 'tenant id of the directory, or one of its domains' },
    clientId,
  ],
  hosted_identity_platform: [
    { setting: 'domain', asks: "tenant's domain, for example example.eu.auth0.com" },
    clientId,
  ],
  access_management_suite: [
    { setting: 'authority', asks: 'base URL, for example https://am.example.com/am' },
    { setting: 'scopes', asks: "the OAuth 2.0 client's scopes, separated by commas", list: true },
    clientId,
  ],
  source_hosting: [clientId],
  workspace_suite: [clientId],
  open_source_identity_server: [
    { setting: 'authority', asks: 'base URL, for example https://id.example.com' },
    { setting: 'realm', asks: 'realm' },
    clientId,
  ],
  enterprise_identity_provider: [
    { setting: 'authority', asks: 'base URL, for example https://example.okta.com' },
    clientId,
  ],
  container_orchestrator: [{ setting: 'issuer', asks: "issuer of the cluster's service account tokens" }],
};

/** Every setting that some kind asks for, once. */
export const initSettings: InitQuestion[] = [
  ...new Map(
    Object.values(initQuestions)
      .flat()
      .map((question) => [question.setting, question]),
  ).values(),
];

/** Whether people sign in through it, with a client secret: all kinds but workloads' own. */
export function hasClientSecret(kind: ProviderKind): boolean {
  return kind !== 'container_orchestrator';
}

export const providerKinds = Object.keys(initQuestions) as ProviderKind[];
