import { z } from 'zod';
import { AccessKind, Answer } from '../../access/access-change.ts';
import { Severity } from '../../rules/finding.ts';
import { hasFindingsAt, type Review } from '../review.ts';

const namespace = z.string().optional().describe('Namespace of the secrets service; absent for the root.');
const server = z
  .string()
  .optional()
  .describe('Provider configuration, where a plan has more than one; two are two servers.');
const texts = z.array(z.string());
const answer = z.enum(Answer);
const sides = z.enum(['gained', 'lost']);

/** The report as JSON. Published as review.schema.json in docs/; fields may be added, never changed or taken away. */
export const reviewReport = z
  .object({
    format: z.literal(1).describe('Version of this format.'),
    verdict: z.enum(['passed', 'failed']).describe('failed: a finding is at least as severe as failOn.'),
    failOn: z.enum(Severity),
    gains: answer.describe(
      'Whether anybody gains access, trust, another identity or a longer life of tokens: none is proved, unknown cannot be judged.',
    ),
    losses: answer.describe('Whether anybody loses any of these.'),
    over: z
      .object({ roles: z.int(), groups: z.int(), paths: z.int() })
      .describe('Over what gains and losses were decided; paths are classes of paths.'),
    missing: texts.describe('What is missing to decide gains and losses.'),
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
          type: z.enum([
            'service',
            'method',
            'role',
            'group',
            'alias',
            'policy',
            'message',
            'entity',
            'other',
            'promise',
          ]),
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
        docs: z.string(),
      }),
    ),
    standing: z.int().describe('Findings that were there before the change and still are; not listed.'),
    access: z.array(
      z.object({
        kind: z.enum(AccessKind),
        way: z.object({
          kind: z.enum(['role', 'method', 'group', 'holder', 'other', 'policy']),
          method: z.string().describe('Path of the auth method; empty where there is none.'),
          name: z.string().describe('Name of the role, the group alias, the entity or policy.'),
          group: z.string().optional().describe('Name of the external group.'),
        }),
        namespace,
        server,
        bounds: z
          .object({ before: z.string().optional(), after: z.string().optional() })
          .describe('What a sign-in has to fulfil, in words; empty: whomever the provider lets in.'),
        policies: z.object({ gained: texts, lost: texts, kept: texts }),
        because: z.string().optional().describe('Why others get in than before.'),
        groups: z
          .array(z.object({ name: z.string(), policies: texts }))
          .describe('External groups that come or go with it.'),
        administersBy: z
          .array(z.object({ group: z.string(), path: z.string() }))
          .optional()
          .describe('Groups that it newly leads into and that let decide who signs in: a path each.'),
        beside: z
          .array(
            z.object({
              about: z.enum(['lifetime', 'identity', 'groups', 'bounds']),
              gains: answer,
              losses: answer,
              words: z.string(),
            }),
          )
          .describe('What changes beside policies.'),
        gains: answer,
        losses: answer,
        token: z
          .object({
            claims: z.record(z.string(), z.unknown()),
            address: z.string().optional(),
            signedBy: z.string().optional(),
            by: z.enum(['token', 'browser']),
          })
          .optional()
          .describe('A sign-in that gains; where something is closed, one that loses.'),
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
                .describe('Limits beside capabilities that are weaker (gained) or stricter (lost).'),
              witness: z.string().describe('A path of which it is so.'),
              together: texts.optional().describe('What else the token holds of which it is so.'),
              administers: texts.optional().describe('What of administration it newly lets write.'),
            }),
          )
          .describe('Where the texts of the policies are at hand.'),
        unread: texts.describe('Policies whose text is not at hand or cannot be read.'),
        uncertain: texts.describe('What the plan does not tell: the rest holds if it stays as it is.'),
      }),
    ),
    passedOver: z
      .array(z.object({ type: z.string(), count: z.int(), changed: z.int(), ofService: z.boolean() }))
      .describe('Resources that were not looked into, by type.'),
    notes: texts,
  })
  .meta({
    title: 'gatehouse review',
    description: 'What a planned change does to who can sign in, and with what.',
  });
export type ReviewReport = z.output<typeof reviewReport>;

export function jsonReport(review: Review, failOn: Severity): ReviewReport {
  return { format: 1, verdict: hasFindingsAt(review, failOn) ? 'failed' : 'passed', failOn, ...review };
}
