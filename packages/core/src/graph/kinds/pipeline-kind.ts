import { z } from 'zod';
import { configFields } from '../resources/auth-method.ts';
import { checked } from '../resources/field.ts';
import type { Role } from '../resources/role.ts';
import { roleSettings } from '../resources/role-settings.ts';
import { asText, defined } from '../values/loose-values.ts';
import {
  issuerUrl,
  type Kind,
  type LiveMethod,
  providerShape,
  reportIn,
  valueWords,
  type Whom,
} from './kind.ts';
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
  /** A flag that says which branches: any of these, where no branch is bound. */
  isOfBranch?: true;
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
  /** The words where no branch is bound: `any ref`. */
  anyBranch: string;
  /** The words for whatever has tokens, within an owner. Defaults to any of level 0: `any repository`. */
  anyInnermost?: string;
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
      const settingsOfRole = role as Record<string, unknown>;
      const bound = entries.flatMap(([setting, { claim }]) =>
        settingsOfRole[setting] === undefined ? [] : [[claim, settingsOfRole[setting]]],
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
    adoptRole: (role) => adoptedRole(of.claims, role),
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
      names: idClaimByName(Object.values<PipelineClaim>(of.claims)),
    },
  } as const satisfies Kind<z.output<typeof settings>>;
}

/** The settings of a live role: claims that no setting binds in the same way stay bound claims. */
function adoptedRole(
  claims: Record<string, PipelineClaim>,
  { boundClaims = {}, boundClaimsType }: Role,
): Record<string, unknown> {
  const own: Record<string, unknown> = {};
  const unmapped: Record<string, unknown> = {};
  for (const [claim, value] of Object.entries(boundClaims)) {
    const [setting] = Object.entries(claims).find(([, known]) => known.claim === claim) ?? [];
    // A number that was bound never equals the text that a setting binds.
    const isText = [value].flat().every((text) => typeof text === 'string');
    if (setting !== undefined && isText && settingOf(claims[setting]).safeParse(value).success)
      own[setting] = value;
    else unmapped[claim] = value;
  }
  const hasOthers = Object.keys(unmapped).length > 0;
  return { ...own, ...defined({ boundClaims: hasOthers ? unmapped : undefined, boundClaimsType }) };
}

/** For each claim with a name that can be given anew, the claim with the id of the same owner. */
function idClaimByName(claims: readonly PipelineClaim[]): Record<string, string> {
  return Object.fromEntries(
    claims.flatMap(({ claim, level, id }) => {
      const better = claims.find((other) => other.level === level && other.id !== undefined);
      return level === undefined || id !== undefined || better === undefined ? [] : [[claim, better.claim]];
    }),
  );
}

/** The settings are a kind's own: who reads a role in general sees what all roles have. */
type RoleSchema = ReturnType<typeof roleSettings<Record<never, z.ZodType>>>;

/** A role says whose pipelines sign in by settings of its own, or by `boundClaims`; not the same twice. */
function roleOf(claims: Record<string, PipelineClaim>): RoleSchema {
  const shape = Object.fromEntries(
    Object.entries(claims).map(([setting, pipelineClaim]) => [
      setting,
      settingOf(pipelineClaim)
        .optional()
        .describe(`The ${pipelineClaim.noun}; binds the claim \`${pipelineClaim.claim}\`.`),
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
  const single =
    id === undefined
      ? text
      : z.union([z.int().nonnegative().transform(String), text]).refine((value) => id.test(value), {
          error: ({ input }) => `${JSON.stringify(input)} is not the id of ${article(noun)}`,
        });
  return z.union([single, z.array(single).min(1)]);
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
 * Who a role lets in, in words: `any ref of repository 42`; undefined where its subject says it, or a claim that has no words
 * here.
 */
function whom(of: Pipelines<string>, role: Role, boundIssuer: string): Whom | undefined {
  const { boundClaims = {}, boundSubject } = role;
  if (boundSubject || ['sub', '/sub'].some((name) => Object.hasOwn(boundClaims, name))) return undefined;
  const settings = Object.values(of.claims);
  const phrases = settings.flatMap((setting) => {
    const words = wordsOf(of, setting, role);
    return words === undefined ? [] : [{ ...setting, words }];
  });
  const claims = phrases.map(({ claim }) => claim);
  const isAnyBranch = !settings.some(({ claim, isBranch }) => isBranch && Object.hasOwn(boundClaims, claim));
  // `any protected ref`, and not a protected one and any.
  const anyOf = isAnyBranch
    ? phrases.find(({ isOfBranch, noun, words }) => isOfBranch && words === noun)
    : undefined;
  const parts = phrases.filter((phrase) => phrase.level === undefined && phrase !== anyOf);
  const anyBranch = anyOf === undefined ? of.anyBranch : `any ${anyOf.noun}`;
  const what = [
    ...parts.filter(({ isBranch }) => !isBranch).map(({ words }) => words),
    ...parts.filter(({ isBranch }) => isBranch).map(({ words }) => words),
    ...(isAnyBranch ? [anyBranch] : []),
  ];
  const levels = [...new Set(settings.flatMap(({ level }) => level ?? []))].sort((a, b) => a - b);
  const owners = levels.map((level) =>
    phrases.filter((phrase) => phrase.level === level).map(({ words }) => words),
  );
  const whose = owners.flatMap((words) => (words.length > 0 ? [words.join(' and ')] : []));
  if (whose.length === 0) {
    // Another claim may say whose they are, by a pointer for example.
    if (claims.length < Object.keys(boundClaims).length) return undefined;
    const isOwn = of.own?.test(URL.parse(boundIssuer)?.pathname ?? '');
    whose.push(isOwn ? `${innermostOf(of)} of ${boundIssuer}` : of.everybody);
  } else if (owners[0]?.length === 0) whose.unshift(innermostOf(of));
  const who = whose.join(' of ');
  return { words: what.length === 0 ? who : `${what.join(', ')} of ${who}`, claims };
}

function innermostOf({ claims, anyInnermost }: Pipelines<string>): string {
  return anyInnermost ?? `any ${Object.values(claims).find(({ level }) => level === 0)?.noun}`;
}

/**
 * What a role binds by one claim, in words; undefined where it does not, or where the words would mean something else: an id
 * of another form, a name that looks like an id, a number.
 */
function wordsOf(
  of: Pipelines<string>,
  { claim, noun, id, isFlag }: PipelineClaim,
  { boundClaims = {}, boundClaimsType }: Role,
): string | undefined {
  if (!Object.hasOwn(boundClaims, claim)) return undefined;
  const bound: unknown[] = [boundClaims[claim]].flat();
  const values = bound.filter((value) => typeof value === 'string');
  const isPattern = (value: string) => boundClaimsType === 'glob' && value.includes('*');
  const otherId = Object.values(of.claims).find((other) => other.noun === noun && other.id !== undefined)?.id;
  const fits = (value: string) =>
    id === undefined ? isPattern(value) || !otherId?.test(value) : !isPattern(value) && id.test(value);
  if (values.length === 0 || values.length < bound.length || !values.every(fits)) return undefined;
  const texts = values.map((value) => `${isPattern(value) ? 'like ' : ''}${valueWords(value)}`).join(' or ');
  if (!isFlag) return `${noun} ${texts}`;
  return texts === 'true' ? noun : `${noun}: ${texts}`;
}
