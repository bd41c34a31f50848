import { z } from 'zod';
import { configFields } from '../resources/auth-method.ts';
import { checked } from '../resources/field.ts';
import type { Role } from '../resources/role.ts';
import { roleSettings } from '../resources/role-settings.ts';
import { asText, defined } from '../values/loose-values.ts';
import { issuerUrl, type Kind, type LiveMethod, providerShape, reportIn } from './kind.ts';
import type { SubjectForm } from './subject-form.ts';

/** A setting of a role that binds one claim of a pipeline's tokens. */
interface PipelineClaim {
  /** The claim. Its value is a text, whatever it looks like. */
  claim: string;
  /** What it names, in words: `repository`. */
  noun: string;
  /**
   * Whose pipeline it tells: 0 for the innermost (a repository), higher for what that belongs to. Absent for a part of a
   * pipeline (a branch), which the author of a pipeline can choose.
   */
  level?: number;
  /** The form of an id that never changes hands. Absent for names, which can pass to another owner. */
  id?: RegExp;
  /** The beginning of a `*` pattern with one owner. Defaults to none: a pattern has any. */
  whose?: string;
  /** True for the branch, or what else reads as any where it is not bound. */
  isBranch?: true;
  /** The text `true` or `false`; in the YAML a boolean. */
  isFlag?: true;
}

/** A service that runs pipelines, whose jobs sign in with tokens of its issuer. */
interface Pipelines<Name extends string> {
  kind: Name;
  products: readonly [string, ...string[]];
  /** Issuer of the public service. Absent where each customer has one. */
  issuer?: string;
  /** Hosts of the public service's issuers. */
  hosts: readonly string[];
  /** The path of an issuer that is one customer's. Keys are shared: it counts only where the issuer is bound. */
  own?: RegExp;
  /** Who gets tokens there, in words: `any repository of any owner`. */
  everybody: string;
  /** The words where no branch is bound: `any branch`. */
  anyBranch: string;
  /** Claim that names a pipeline and never changes hands. */
  userClaim: string;
  /** The settings of a role by name. */
  claims: Record<string, PipelineClaim>;
  /** Other claims that tell whose a token is → how a `*` pattern begins that has one owner. */
  moreClaims?: Record<string, string>;
  /** How its tokens write their subject. */
  subject: SubjectForm;
  /** Claims that tell a self-hosted service. */
  telling?: readonly string[];
}

/** A pattern without one owner, whatever it begins with. */
const nobodys = '$never';

/** The kind of a service that runs pipelines, of what is special to it. */
export function pipelineKind<const Name extends string>(of: Pipelines<Name>) {
  const entries = Object.entries(of.claims);
  const settings = z.strictObject({
    ...providerShape,
    kind: z.literal(of.kind),
    /** Exact issuer of the tokens. */
    issuer: of.issuer === undefined ? issuerUrl : issuerUrl.default(of.issuer),
    caPem: checked(configFields.oidcDiscoveryCaPem).min(1).optional(),
    audience: z.string().min(1),
    roles: z.array(roleOf(of.claims)).default([]),
  });

  return {
    kind: of.kind,
    products: of.products,
    methodType: 'jwt',
    hasNoGroups: true,
    settings,
    issuer: '<issuer>',
    config: ({ issuer, caPem }) =>
      defined({ oidcDiscoveryUrl: issuer, oidcDiscoveryCaPem: caPem, boundIssuer: issuer }),
    role: ({ audience }, role) => {
      const given = role as Record<string, unknown>;
      const bound = entries.flatMap(([setting, { claim }]) =>
        given[setting] === undefined ? [] : [[claim, given[setting]]],
      );
      return {
        userClaim: of.userClaim,
        boundAudiences: [audience],
        ...(bound.length === 0 ? {} : { boundClaims: Object.fromEntries(bound) }),
      };
    },
    recognizes: (method) => recognizes(of, method),
    adopt({ oidcDiscoveryUrl: issuer, oidcDiscoveryCaPem: caPem }, roles) {
      const audience = roles.find(({ boundAudiences }) => boundAudiences?.length)?.boundAudiences?.[0];
      if (issuer === undefined || audience === undefined) return undefined;
      return defined({ issuer: issuer === of.issuer ? undefined : issuer, caPem, audience });
    },
    adoptRole({ boundClaims = {}, boundClaimsType }) {
      const own: Record<string, unknown> = {};
      const unmapped: Record<string, unknown> = {};
      for (const [claim, value] of Object.entries(boundClaims)) {
        const [setting] = entries.find(([, one]) => one.claim === claim) ?? [];
        // A number that was bound never equals the text that a setting binds.
        const isText = [value].flat().every((one) => typeof one === 'string');
        if (setting !== undefined && isText && settingOf(of.claims[setting]).safeParse(value).success)
          own[setting] = value;
        else unmapped[claim] = value;
      }
      const hasOthers = Object.keys(unmapped).length > 0;
      return { ...own, ...defined({ boundClaims: hasOthers ? unmapped : undefined, boundClaimsType }) };
    },
    whom: (role, { boundIssuer = '' }) => whom(of, role, boundIssuer),
    textClaims: entries.flatMap(([, { claim, id, isFlag }]) => (isFlag || id !== undefined ? [claim] : [])),
    shared: {
      hosts: of.hosts,
      tokens: of.everybody,
      ...defined({ own: of.own }),
      subject: of.subject,
      whose: {
        ...Object.fromEntries(
          entries.flatMap(([, { claim, level, whose = nobodys }]) =>
            level === undefined ? [] : [[claim, whose]],
          ),
        ),
        ...of.moreClaims,
      },
      names: Object.fromEntries(
        entries.flatMap(([, { claim, level, id }]) => {
          const better = entries.find(([, one]) => one.level === level && one.id !== undefined);
          return level === undefined || id !== undefined || better === undefined
            ? []
            : [[claim, better[1].claim]];
        }),
      ),
    },
  } as const satisfies Kind<z.output<typeof settings>>;
}

/** The settings are a kind's own: who reads a role in general sees what all roles have. */
type RoleSchema = ReturnType<typeof roleSettings<Record<never, z.ZodType>>>;

/** A role says whose pipelines sign in by settings of its own, or by `boundClaims`; not the same twice. */
function roleOf(claims: Record<string, PipelineClaim>): RoleSchema {
  const shape = Object.fromEntries(
    Object.entries(claims).map(([setting, one]) => [
      setting,
      settingOf(one).optional().describe(`The ${one.noun}; binds the claim \`${one.claim}\`.`),
    ]),
  );
  const role: z.ZodType = roleSettings(shape).check((context) => {
    const role = context.value as Record<string, unknown>;
    const report = reportIn(context);
    for (const [setting, { claim }] of Object.entries(claims)) {
      const value = role[setting];
      if (value === undefined) continue;
      if (Object.hasOwn((role['boundClaims'] ?? {}) as object, claim))
        report(['boundClaims', claim], `${setting} already binds this claim; set one of the two`);
      if (role['boundClaimsType'] !== 'glob' && [value].flat().some((text) => asText(text).includes('*')))
        report([setting], 'a * matches any text only with boundClaimsType: glob');
    }
  });
  return role as RoleSchema;
}

/** What a setting takes: one value or several. Ids may stand in the YAML as numbers. */
function settingOf({ id, isFlag, noun = '' }: Partial<PipelineClaim> = {}) {
  if (isFlag) return z.union([z.boolean().transform(String), z.enum(['true', 'false'])]);
  const text = z.string().min(1);
  const one =
    id === undefined
      ? text
      : z.union([z.int().nonnegative().transform(String), text]).refine((value) => id.test(value), {
          error: ({ input }) => `${JSON.stringify(input)} is not the id of ${article(noun)}`,
        });
  return z.union([one, z.array(one).min(1)]);
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function recognizes(of: Pipelines<string>, { type, issuers, roles }: LiveMethod): boolean {
  if (type !== 'jwt') return false;
  if (issuers.some(({ hostname }) => of.hosts.includes(hostname))) return true;
  const { telling = [] } = of;
  return roles.some(({ boundClaims = {} }) => telling.some((claim) => Object.hasOwn(boundClaims, claim)));
}

/**
 * Who a role lets in, in words: `any branch of repository 42`; undefined where its subject says it, or a claim that has no
 * words here.
 */
function whom(of: Pipelines<string>, role: Role, boundIssuer: string): string | undefined {
  const { boundClaims = {}, boundClaimsType, boundSubject } = role;
  if (boundSubject || Object.hasOwn(boundClaims, 'sub')) return undefined;
  const bound = Object.values(of.claims).flatMap((one) => {
    const values: unknown[] = Object.hasOwn(boundClaims, one.claim) ? [boundClaims[one.claim]].flat() : [];
    if (values.length === 0) return [];
    const texts = values.map((value) => {
      const isPattern = boundClaimsType === 'glob' && asText(value).includes('*');
      return `${isPattern ? 'like ' : ''}${typeof value === 'string' ? value : JSON.stringify(value)}`;
    });
    if (!one.isFlag) return [{ ...one, words: `${one.noun} ${texts.join(' or ')}` }];
    return [{ ...one, words: texts.join() === 'true' ? one.noun : `${one.noun}: ${texts.join(' or ')}` }];
  });
  const isWhole = bound.length === Object.keys(boundClaims).length;
  const parts = bound.filter(({ level }) => level === undefined);
  const owners = bound
    .filter(({ level }) => level !== undefined)
    .sort((one, other) => Number(one.level) - Number(other.level));
  const what = [
    ...parts.filter(({ isBranch }) => !isBranch).map(({ words }) => words),
    parts.find(({ isBranch }) => isBranch)?.words ?? of.anyBranch,
  ];
  const innermost = `any ${Object.values(of.claims).find(({ level }) => level === 0)?.noun}`;
  const whose = owners.map(({ words }) => words);
  if (whose.length === 0) {
    // Another claim may say whose they are, by a pointer for example.
    if (!isWhole) return undefined;
    const isOwn = of.own?.test(URL.parse(boundIssuer)?.pathname ?? '');
    return `${what.join(', ')} of ${isOwn ? `${innermost} of ${boundIssuer}` : of.everybody}`;
  }
  if (owners[0]?.level !== 0) whose.unshift(innermost);
  return `${what.join(', ')} of ${whose.join(' of ')}`;
}
