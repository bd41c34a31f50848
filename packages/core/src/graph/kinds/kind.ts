import { z } from 'zod';
import {
  configFields,
  type MethodConfig,
  type MethodType,
  ownConfig,
  tuneFields,
} from '../resources/auth-method.ts';
import { groupSettings } from '../resources/external-group.ts';
import { checked, shapeOf } from '../resources/field.ts';
import { refusing, tuneRefusals } from '../resources/refusals.ts';
import type { Role, RoleFields } from '../resources/role.ts';
import { roleSettings } from '../resources/role-settings.ts';
import { defined } from '../values/loose-values.ts';
import { ownNamespace } from '../values/namespace-path.ts';
import { signingKeyText } from '../values/pem.ts';
import type { SecretKey } from '../values/secret-keys.ts';
import { plainName } from '../values/visible.ts';
import type { SubjectForm } from './subject-form.ts';

/** The tuning of a method's mount, as a person writes it. */
export const tuneSettings = refusing(z.strictObject(shapeOf(tuneFields)), tuneRefusals);

/** What every provider has, whatever its kind. What settings mean stands with the components' arguments, in `providers/`. */
export const providerShape = {
  name: z.string().regex(/^[a-z0-9][\w-]*$/i, 'a provider name has only letters, digits, `_` and `-`'),
  path: z
    .string()
    .regex(/^[^/\s]+(\/[^/\s]+)*$/, 'a path has no blanks and no slash at its ends')
    .optional(),
  namespace: ownNamespace,
  description: z.string().optional(),
  defaultRole: z.string().toLowerCase().optional(),
  tune: tuneSettings.optional(),
  jwtSupportedAlgs: checked(configFields.jwtSupportedAlgs).optional(),
  config: ownConfig.optional(),
  groups: z.array(groupSettings).default([]),
};

/** Fields of every provider that people sign in through. */
export const oidcShape = {
  ...providerShape,
  clientId: z.string().min(1),
  caPem: checked(configFields.oidcDiscoveryCaPem).min(1).optional(),
  oidcResponseMode: z.enum(['query', 'form_post']).optional(),
  roles: z.array(roleSettings({})).default([]),
};

/** An issuer, or where its discovery document is. Kept exactly: a slash at the end counts. */
export const issuerUrl = checked(configFields.oidcDiscoveryUrl);

/** A document of public keys (RFC 7517, section 5). */
export const jwksDocument = z.object({ keys: z.array(z.record(z.string(), z.unknown())).min(1) });

/** A key document that people write: a key that signs is refused at once, and is to be rotated. */
export const writtenJwks = jwksDocument.superRefine(({ keys }, context) => {
  for (const [index, key] of keys.entries()) {
    if (isSigning(key)) context.addIssue({ code: 'custom', path: ['keys', index], message: signingKeyText });
  }
});

/** Whether a JWK holds what signs: a private key, or a shared secret. */
export function isSigning({ d, k }: { d?: unknown; k?: unknown }): boolean {
  return d !== undefined || k !== undefined;
}

/** Base URL of a provider, without a slash at its end. */
export const authority = issuerUrl.transform((url) => url.replace(/\/+$/, ''));

/**
 * One provider kind, all of it: what its administrator has in hand (`settings`), what that means for the auth method
 * and its roles, how a live method is recognized, and what its issuer is like. The functions are pure.
 */
export interface Kind<Settings extends ProviderSettings = ProviderSettings> {
  /** Identifier in the YAML (docs/inside/specification.md B-2). */
  kind: string;
  /** The product, as people know it. Then other names that are understood in its place. */
  products: readonly [string, ...string[]];
  methodType: MethodType;
  settings: z.ZodType<Settings>;
  /** URL of an issuer, made of settings in angle brackets; the first is the base URL of the provider. */
  issuer: string;
  /** Settings of the URL of an issuer in another shape that this kind also has. Defaults to none. */
  settingsIn?(url: string): Record<string, string> | undefined;
  /** Settings that take the place of the issuer's base URL. Defaults to none. */
  insteadOfIssuer?: readonly string[];
  /** Any issuer fits it, so a live method is adopted as this kind where nothing tells another. Defaults to false. */
  fitsAnyIssuer?: true;
  /** Claim that carries a person's groups. Defaults to `groups`. */
  groupsClaim?: string;
  /** Its tokens carry no groups unless a role names the claim that does. Defaults to false. */
  hasNoGroups?: true;
  config(settings: Settings): MethodConfig;
  /** The defaults of a role; what the role itself says takes precedence. */
  role(settings: Settings, role: Settings['roles'][number]): RoleFields & { userClaim: string };
  /** The providers that one entry of the YAML stands for. Defaults to itself. */
  each?(settings: Settings): Settings[];
  /** Secrets that settings need, which may not be valid. Defaults to the client secret where people sign in. */
  secrets?(settings: Record<string, unknown>): readonly SecretKey[];
  /** Hosts of issuers that are certainly of this kind. */
  hosts?: RegExp;
  /** What tells a method of this kind where its issuer's host does not. */
  recognizes?(method: LiveMethod): boolean;
  /**
   * Settings that a live method of this kind has apart from those in its issuer's URL; undefined where it cannot be of
   * this kind. Defaults to none.
   */
  adopt?(config: MethodConfig, roles: readonly Role[]): Record<string, unknown> | undefined;
  /** Settings of a live role that only this kind has; undefined where the role cannot be of this kind. */
  adoptRole?(role: Role): Record<string, unknown> | undefined;
  /** Who a role lets in, in words; undefined where its claims do not tell. Defaults to never. */
  whom?(role: Role, config: MethodConfig): Whom | undefined;
  /** Claims that its tokens have as texts although they look like numbers or booleans. Defaults to none. */
  textClaims?: readonly string[];
  /** Its issuers that give tokens to anyone. Defaults to none. */
  shared?: SharedIssuer;
  /**
   * Settings that let in only the team's own people, in words, at a provider where anyone can have an account. Defaults to
   * none.
   */
  keepsStrangersOut?: string;
  /** What the embedded identity provider does for this kind. Defaults to what OpenID Connect says. */
  embedded?: EmbeddedIssuer;
}

/** Who a role lets in, in the words of its provider, and the bounds that they say; the others stand beside them. */
export interface Whom {
  words: string;
  /** Names of bound claims. */
  claims: readonly string[];
  /** Whether they say the bound subject. Defaults to false. */
  subject?: true;
}

/** A value as people write it; in quotes where it is not one word, or one that joins words here. */
export function valueWords(value: string): string {
  if (/^\{[\w-]+\}$/.test(value)) return value;
  return /^(any|like|of|or)$/.test(value) ? JSON.stringify(value) : plainName(value);
}

/**
 * What the embedded identity provider does as an issuer of a kind: what the product does whose administrator followed the
 * kind's page. Missing entries are as OpenID Connect has them.
 */
interface EmbeddedIssuer {
  /** Settings in its URL. */
  issuer?: Record<string, string>;
  /** Its base URL ends in a slash. Defaults to false. */
  endsInSlash?: true;
  /** Scopes in addition to `openid` → the claims that they give. */
  scopes?: Readonly<Record<string, readonly string[]>>;
  /** Other scopes that it takes. They give no claims. */
  otherScopes?: RegExp;
  /**
   * What it does with a sign-in that asks for a scope that it does not know: `refused` leads back to the client with
   * `invalid_scope`, `stopped` shows the error on a page of its own. Defaults to `ignored`.
   */
  unknownScope?: 'ignored' | 'refused' | 'stopped';
  /** Claims of every token, whatever the scope. Defaults to the groups claim. */
  claims?: readonly string[];
  /** The groups claim is left out for people in no group. Defaults to false: it is an empty list. */
  omitsEmptyGroups?: true;
  /** Algorithms that an application may have its id tokens signed with; the first is the default. Defaults to RS256. */
  signingAlgs?: readonly ['RS256', ...('HS256' | 'RS256')[]];
  /** Group → how its tokens name it. Defaults to the group's name. */
  groupIds?: Record<string, string>;
  /** Claims of a workload's token, by its subject. */
  workloadClaims?(subject: string, uid: string): Record<string, unknown>;
}

/** An issuer that gives tokens to anyone who starts a job. */
export interface SharedIssuer {
  hosts: readonly string[];
  /** Who gets tokens there, in words. */
  tokens: string;
  /**
   * Claims that tell whose a token is. A bound value does if it has no `*`, or begins with this: `acme/*` is one owner's,
   * `acme*` everyone's, as an owner of the name `acme-too` fits. Everyone can choose what other claims say: a branch,
   * an environment, an audience.
   */
  whose: Record<string, string>;
  /** How its tokens write the subject, which tells whose they are as well. */
  subject: SubjectForm;
  /** Names among them, which can pass to another owner → the id of the same thing, which never does. */
  names: Record<string, string>;
  /** The path of an issuer that has one owner. Keys are shared: it counts only where it is bound. */
  own?: RegExp;
}

/** An auth method as read from a service. */
export interface LiveMethod {
  type: MethodType;
  /** The discovery URL and the bound issuer. */
  issuers: readonly URL[];
  roles: readonly Role[];
}

/** The settings that all kinds share, as the kind-independent code sees them. */
export interface ProviderSettings extends z.output<z.ZodObject<typeof providerShape>> {
  kind: string;
  oidcResponseMode?: MethodConfig['oidcResponseMode'];
  roles: (RoleFields & { name: string; until?: string })[];
}

/** Reports a problem of a provider's settings, at its path below them. */
export type ReportProblem = (path: (string | number)[], message: string) => void;

/** What reports problems in a check of settings. */
export function reportIn({ value, issues }: z.core.ParsePayload): ReportProblem {
  return (path, message) => issues.push({ code: 'custom', input: value, path, message });
}

/** The groups claim is asked for only where aliases are declared: a token without it could not sign in. */
export function groupsClaimFor(settings: ProviderSettings, claim = 'groups'): { groupsClaim?: string } {
  return settings.groups.some(({ alias }) => alias !== undefined) ? { groupsClaim: claim } : {};
}

/** Configuration of a method that people sign in through. */
export function oidcConfig(
  issuer: string,
  settings: { clientId?: string; caPem?: string; [setting: string]: unknown },
): MethodConfig {
  return defined({
    oidcDiscoveryUrl: fillIssuer(issuer, settings),
    oidcClientId: settings.clientId,
    oidcDiscoveryCaPem: settings.caPem,
  });
}

/** The setting that an issuer's URL begins with. */
export function baseSetting(issuer: string): string {
  return issuer.slice(1, issuer.indexOf('>'));
}

/** The URL of an issuer, from the settings that it is made of. */
export function fillIssuer(issuer: string, settings: object): string {
  return issuer.replace(/<(\w+)>/g, (_, name: string) => String(settings[name as keyof typeof settings]));
}

/** The settings that the URL of an issuer is made of; undefined where it has another shape. */
export function matchIssuer(issuer: string, url: string): Record<string, string> | undefined {
  const pattern = issuer.replaceAll('.', '\\.').replace(/<(\w+)>/g, (_, name: string, at: number) => {
    return `(?<${name}>${at === 0 ? '.+' : '[^/]+'})`;
  });
  return new RegExp(`^${pattern}$`).exec(url)?.groups;
}
