import { z } from 'zod';
import { Answer } from '../access/access-change.ts';
import { Life } from '../access/sign-in/token-life.ts';
import { subjectTypes } from '../review/reports/json.ts';
import { Severity } from '../review/rules/finding.ts';

/** A name, not an address: the project has no site. Another version is another name, and is refused. */
export const predicateType = 'https://gatehouse.example/review/v1';
/** The tool that made the statement: a name, not an address. */
export const verifierId = 'https://gatehouse.example/gatehouse';
/** in-toto/attestation `spec/v1/statement.md`. */
export const statementType = 'https://in-toto.io/Statement/v1';

/** in-toto/attestation `spec/v1/envelope.md`. */
export const payloadType = 'application/vnd.in-toto+json';

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const sha256 = z.strictObject({ sha256: hex });

const subject = z.strictObject({
  type: z.enum(subjectTypes),
  name: z.string(),
  method: z.string().optional().describe('Path of the auth method.'),
  field: z.string().optional(),
  namespace: z.string().optional().describe('Absent in the own one of the environment.'),
});

const predicate = z.strictObject({
  verifier: z.strictObject({
    id: z.literal(verifierId),
    version: z.string().describe('Version of Gatehouse that reviewed.'),
  }),
  timeCreated: z.iso.datetime().describe('When it was reviewed and signed.'),
  stack: z
    .strictObject({
      project: z.string(),
      name: z.string(),
      service: z.string().describe('Address of the secrets service.'),
      namespace: z.string().describe('Empty for the root.'),
    })
    .optional()
    .describe('The stack that the change is for; absent where none was named.'),
  tool: z.enum(['pulumi', 'terraform', 'gatehouse']).describe('What made the plan.'),
  base: z
    .strictObject({ gitCommit: z.string() })
    .optional()
    .describe('The revision from which exceptions, rules and signers counted.'),
  declared: sha256.optional().describe('The resources that the stack declares.'),
  state: sha256.optional().describe('The state that the plan was made on.'),
  judgedOn: z
    .strictObject({
      source: z.enum(['service', 'snapshot', 'plan']),
      digest: sha256.optional().describe('Of the snapshot.'),
      notes: z.array(z.string()).describe('Which snapshot, and how old it was.'),
      missing: z.array(z.string()).describe('What was not looked at.'),
    })
    .describe('What the service has that the change was judged on.'),
  verdict: z.enum(['passed', 'failed']).describe('failed: a finding is an error.'),
  gains: z.enum(Answer),
  losses: z.enum(Answer),
  life: z.enum(Life),
  administration: z.boolean().describe('It makes administrators, or changes who may sign reviews.'),
  access: z
    .array(
      z.strictObject({
        who: z
          .array(z.string())
          .describe('Those to whom the same happens, as settings name them: role staff/reader.'),
        gains: z.enum(Answer),
        losses: z.enum(Answer),
        life: z.enum(Life),
        why: z.array(z.string()).describe('The policies that do it.'),
        words: z
          .array(z.strictObject({ before: z.string(), after: z.string() }))
          .describe('What it was and what it is; – is nothing.'),
        leftOut: z.int().optional().describe('How many such lines are left out.'),
      }),
    )
    .describe('Who gains and who loses what.'),
  findings: z.array(z.strictObject({ rule: z.string(), severity: z.enum(Severity), subject: z.string() })),
  exceptions: z
    .array(
      z.strictObject({
        rule: z.string(),
        subject,
        because: z.string(),
        owner: z.string(),
        until: z.string(),
      }),
    )
    .describe('The exceptions that findings were accepted by.'),
  accepted: z
    .array(z.strictObject({ by: z.string(), task: z.string(), because: z.string(), at: z.iso.datetime() }))
    .optional()
    .describe('Mandatory run tasks that did not pass, and who accepted that.'),
});
/** What a statement says of a reviewed change. Holds no secret. */
export type ReviewPredicate = z.output<typeof predicate>;

/**
 * A statement: this is the change that was reviewed, and this is the answer. Fields that are not known are refused: what they
 * ask for is not known, either.
 */
export const reviewStatement = z
  .strictObject({
    _type: z.literal(statementType),
    subject: z
      .tuple([z.strictObject({ name: z.string(), digest: sha256 })])
      .describe('The file that is applied, or the plan of the stack.'),
    predicateType: z.literal(predicateType),
    predicate,
  })
  .meta({ title: 'A review of Gatehouse, as an in-toto statement' });
/** A review that others check. */
export type ReviewStatement = z.output<typeof reviewStatement>;
