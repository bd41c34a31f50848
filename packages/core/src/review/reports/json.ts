import { z } from 'zod';
import { AccessKind, Answer, causeKinds, RolesShown } from '../../access/access-change.ts';
import type { Giver } from '../../access/reasons/giver.ts';
import type { Reason } from '../../access/reasons/reason.ts';
import type { Witness } from '../../access/sign-in/population.ts';
import { Life } from '../../access/sign-in/token-life.ts';
import { resources } from '../../graph/resources/resources.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { alsoKinds, alsoWords } from '../../words/also-words.ts';
import { signerWords, whomWords, wideningWords } from '../../words/condition-words.ts';
import { giverKinds, giverWords } from '../../words/giver-words.ts';
import { reasonKinds, reasonWords } from '../../words/reason-words.ts';
import { hasFindingsAt, type Review } from '../review.ts';
import { Severity } from '../rules/finding.ts';
import type { ReviewedAccess } from '../verdict.ts';
import { boundsText } from './cells.ts';
import { replayAsJson, replayReport } from './replay.ts';

const namespace = z.string().optional().describe('Namespace of the secrets service; absent for the root.');
const server = z
  .string()
  .optional()
  .describe('Provider configuration, where a plan has more than one; two are two servers.');
const texts = z.array(z.string());
const reasons = z.array(
  z
    .looseObject({ kind: z.enum(reasonKinds), words: z.string() })
    .describe('Its kind, the names of things that it is about, and the same in words.'),
);
const answer = z.enum(Answer);
const life = z.enum(Life);
const sides = z.enum(['gained', 'lost']);
const decidingRule = z.object({
  path: z.string().describe('As the policy writes it.'),
  capabilities: texts.describe('What can be done by it; deny alone: nothing.'),
  policy: z.string().optional().describe('The policy that it is of, where that is one alone.'),
});
/** What the subject of a finding can be. */
export const subjectTypes = [
  'service',
  ...new Set(resources.map(({ type }) => type)),
  'other',
  'promise',
] as const;

/** The report as JSON. Published as review.schema.json in docs/; within a format fields may be added, never changed or taken away. */
export const reviewReport = z
  .object({
    format: z.literal(1).describe('Version of this format.'),
    verdict: z.enum(['passed', 'failed']).describe('failed: a finding is at least as severe as failOn.'),
    failOn: z.enum(Severity),
    gains: answer.describe(
      'Whether principals gain requests, trust or another identity. none: proved, whatever else the service has. unknown: it depends on what is not known.',
    ),
    losses: answer.describe('Whether principals lose any of these, of those that are known.'),
    life: life.describe('Whether tokens live longer or can be used more often: the gravest of all.'),
    scope: z
      .object({
        complete: z.boolean().describe('Nothing that bears on the answers was left out.'),
        whole: z
          .boolean()
          .describe(
            'The whole service was read: all that can sign in, and all token roles; not tokens made by hand.',
          ),
        tokens: z
          .boolean()
          .describe('Tokens that were issued were read as well; batch tokens are in no list.'),
        missing: reasons.describe('What was not looked at.'),
      })
      .describe('What gains and losses leave open.'),
    over: z
      .object({ roles: z.int(), groups: z.int(), otherPrincipals: z.int(), paths: z.int() })
      .describe(
        'Over what gains and losses were decided; otherPrincipals are roles and users of other auth methods, paths are classes of paths.',
      ),
    taken: z
      .array(z.object({ type: z.enum(subjectTypes), name: z.string(), method: z.string().optional() }))
      .describe('What the plan creates and the service has already.'),
    missing: reasons.describe('What is missing to decide gains and losses.'),
    tool: z.enum(['pulumi', 'terraform', 'gatehouse']).describe('What made the plan.'),
    resources: z.object({
      reviewed: z.int().describe('Resources that bear on sign-in.'),
      changed: z.int().describe('How many of them the plan changes.'),
    }),
    findings: z.array(
      z.object({
        rule: z.string(),
        severity: z.enum(Severity),
        subject: z.object({
          type: z.enum(subjectTypes),
          name: z.string(),
          method: z.string().optional().describe('Path of the auth method.'),
          field: z.string().optional(),
        }),
        namespace,
        server,
        address: z
          .string()
          .optional()
          .describe('The resource of the plan that it is about, where that is one alone.'),
        message: z.string(),
        fix: z.string(),
        exception: z
          .object({ because: z.string(), owner: z.string(), until: z.string(), severity: z.enum(Severity) })
          .optional()
          .describe(
            'The environment accepts it: the reason, who answers for it, its last day, and how severe it is.',
          ),
        docs: z.string(),
      }),
    ),
    standing: z.int().describe('Findings that were there before the change and still are; not listed.'),
    access: z.array(
      z.object({
        kind: z.enum(AccessKind),
        principals: z
          .object({
            kind: z
              .enum(['role', 'method', 'alias', 'group', 'entity', 'other', 'policy', 'anyone'])
              .describe(
                'What gives them access; policy: principals with a grant of it that is not in the plan.',
              ),
            method: z.string().describe('Path of the auth method; empty where there is none.'),
            name: z.string().describe('Name of the role, the group alias, the group, entity or policy.'),
            group: z.string().optional().describe('Name of the external group of an alias.'),
            ownName: z
              .string()
              .optional()
              .describe('Own name of a role, user or group of another auth method; name has it in words.'),
            letsIn: z
              .string()
              .optional()
              .describe('Who signs in by a role, user or group of another auth method, in words.'),
          })
          .describe('Who gains or loses.'),
        otherName: z
          .object({ method: z.string(), name: z.string() })
          .optional()
          .describe(
            'What is opened or closed has this name on the other side, where it is proved to have the same access there; gains and losses count both.',
          ),
        namespace,
        server,
        bounds: z
          .object({ before: z.string().optional(), after: z.string().optional() })
          .describe('What a sign-in has to fulfill, in words; empty: all whom the provider lets in.'),
        whom: z
          .object({ before: z.string().optional(), after: z.string().optional() })
          .optional()
          .describe('The same in the words of the provider, where it has some.'),
        policies: z.object({ gained: texts, lost: texts, kept: texts }),
        because: z
          .looseObject({ kind: z.enum(['dropped', 'value', 'member', 'more', 'address']), words: z.string() })
          .optional()
          .describe('Why others get in than before: what is no longer asked for, or newly taken.'),
        groups: z
          .int()
          .optional()
          .describe('Which of groupLists comes or goes with it; absent for no groups.'),
        administersBy: z
          .array(z.object({ group: z.string(), path: z.string() }))
          .optional()
          .describe('Groups that it newly leads into and that let decide who signs in: a path each.'),
        also: z
          .array(
            z.object({
              about: z.enum(['lifetime', 'identity', 'groups', 'bounds', 'credentials', 'administration']),
              gains: answer,
              losses: answer,
              life: life.optional().describe('Of a lifetime.'),
              what: z
                .looseObject({ kind: z.enum(alsoKinds), words: z.string() })
                .describe(
                  'What changes: its kind, the names and values of that kind, and the same in words.',
                ),
            }),
          )
          .describe('What changes in addition to policies.'),
        gains: answer,
        losses: answer,
        life,
        token: z
          .object({
            claims: z.record(z.string(), z.unknown()),
            address: z.string().optional(),
            signedBy: z.string().optional(),
            by: z.enum(['token', 'browser']),
          })
          .optional()
          .describe('A sign-in that gains; where something is closed, one that loses.'),
        together: z
          .array(z.array(z.looseObject({ kind: z.enum(giverKinds), words: z.string() })))
          .optional()
          .describe('What else their tokens have: one of these each. Absent for whatever else they have.'),
        byRoles: z
          .enum(RolesShown)
          .optional()
          .describe(
            'any: people get it by every role of their method; elsewhere: its roles are not in the plan; some: together has examples. Absent where together has all.',
          ),
        paths: z
          .array(
            z.object({
              path: z.string().describe('As a policy writes it.'),
              gained: texts.describe('Capabilities.'),
              lost: texts,
              parametersChange: z.boolean().describe('Other fields are allowed or needed.'),
              limits: z
                .array(z.object({ side: sides, limit: z.string(), capabilities: texts }))
                .optional()
                .describe('Limits on capabilities that are weaker (gained) or stricter (lost).'),
              witness: z.string().describe('A path that shows it.'),
              from: z.string().optional().describe('From when on, where a rule expires: RFC 3339.'),
              administers: texts.optional().describe('What of administration it newly lets write.'),
              decides: z
                .object({ before: decidingRule, after: decidingRule })
                .optional()
                .describe(
                  'The rules that decide there, where one does before and after; absent where they are not known or differ among these paths.',
                ),
              cause: z
                .object({
                  kind: z.enum(causeKinds),
                  policy: z.string(),
                  by: z
                    .object({ kind: z.string(), name: z.string() })
                    .optional()
                    .describe('What fills in a template of the policy.'),
                  what: z.literal('metadata').optional().describe('By this, and not by its name.'),
                })
                .optional()
                .describe('What of a policy makes the difference, where that is one thing alone.'),
            }),
          )
          .describe('Where the texts of the policies are at hand.'),
        unread: texts.describe('Policies whose text is not at hand or cannot be read.'),
        uncertain: reasons.describe('What the plan does not tell: the rest holds if it stays as it is.'),
      }),
    ),
    groupLists: z
      .array(
        z.array(
          z.object({
            name: z.string(),
            alias: z.string().describe('Name of the group at the provider.'),
            policies: texts,
          }),
        ),
      )
      .describe(
        'External groups that come or go with a role: all roles of a method that read groups share one list.',
      ),
    passedOver: z
      .array(z.object({ type: z.string(), count: z.int(), changed: z.int(), ofService: z.boolean() }))
      .describe('Resources that were not looked into, by type.'),
    replay: replayReport.optional(),
    notes: texts,
  })
  .meta({
    title: 'gatehouse review',
    description: 'What a planned change does to who can sign in, and with what.',
  });
/** The JSON of a review. */
export type ReviewReport = z.output<typeof reviewReport>;

/** A review as JSON: docs/review.schema.json. */
export function jsonReport(review: Review, failOn: Severity): ReviewReport {
  const { older, access, replay, ...rest } = review;
  const verdict = hasFindingsAt(review, failOn) ? 'failed' : 'passed';
  const lists = new GroupLists();
  return {
    format: 1,
    verdict,
    failOn,
    ...rest,
    scope: { ...review.scope, missing: review.scope.missing.map(reasonAsJson) },
    missing: review.missing.map(reasonAsJson),
    access: access.map((change) => accessAsJson(change, lists)),
    groupLists: lists.all,
    standing: older.length,
    ...(replay && { replay: replayAsJson(replay) }),
  };
}

const reasonAsJson = (reason: Reason) => ({ ...reason, words: reasonWords(reason) });
const giverAsJson = (giver: Giver) => ({ ...giver, words: giverWords(giver) });

function eachSide<Value>(
  { before, after }: { before?: Value; after?: Value },
  wordsOf: (value: Value) => string,
): { before?: string; after?: string } {
  return {
    ...(before !== undefined && { before: wordsOf(before) }),
    ...(after !== undefined && { after: wordsOf(after) }),
  };
}

function tokenAsJson({ signedBy, ...token }: Witness) {
  return { ...token, ...(signedBy && { signedBy: signerWords(signedBy) }) };
}

function accessAsJson(change: ReviewedAccess, lists: GroupLists): ReviewReport['access'][number] {
  const { principals, together, uncertain, also, bounds, whom, because, token, groups, ...rest } = change;
  const { picked, ...named } = principals;
  return {
    ...rest,
    principals: { ...named, ...(picked && { name: giverWords(picked) }) },
    ...(groups.length > 0 && { groups: lists.indexOf(groups) }),
    ...(together && { together: together.map((givers) => givers.map(giverAsJson)) }),
    also: also.map(({ what, ...answers }) => ({ ...answers, what: { ...what, words: alsoWords(what) } })),
    uncertain: uncertain.map(reasonAsJson),
    bounds: eachSide(bounds, boundsText),
    ...(whom && { whom: eachSide(whom, whomWords) }),
    ...(because && { because: { ...because, words: wideningWords(because) } }),
    ...(token && { token: tokenAsJson(token) }),
  };
}

type GroupList = ReviewReport['groupLists'][number];

/** Lists of groups, each once. */
class GroupLists {
  readonly all: GroupList[] = [];
  readonly #byList = new Map<ReviewedAccess['groups'], number>();
  readonly #byText = new Map<string, number>();

  indexOf(groups: ReviewedAccess['groups']): number {
    return getOrMake(this.#byList, groups, () => {
      const list = groups.map(({ rules: _, ...group }) => group);
      return getOrMake(this.#byText, JSON.stringify(list), () => this.all.push(list) - 1);
    });
  }
}
