// Writes all that derives: the parts of the documentation that come from tables (`node scripts/write-reference.ts`),
// and the names that packages offer into their READMEs. Tests say when they are out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { declare } from '../packages/core/src/environment/declared.ts';
import { parseEnvironment } from '../packages/core/src/environment/environment.ts';
import { rulePresets } from '../packages/core/src/environment/rule-presets.ts';
import { stackFileSchema } from '../packages/core/src/environment/stack-file-schema.ts';
import { policyFor, tokenPolicies, wholeService } from '../packages/core/src/environment/token-policies.ts';
import { kindById, productOf, providerKinds } from '../packages/core/src/graph/kinds/kinds.ts';
import { places } from '../packages/core/src/graph/policies/administration-places.ts';
import { attributes, olderWords } from '../packages/core/src/graph/policies/policy-attributes.ts';
import {
  configFields,
  type MethodType,
  ownConfigFields,
  tuneFields,
} from '../packages/core/src/graph/resources/auth-method.ts';
import { methodPath } from '../packages/core/src/graph/resources/checks.ts';
import { messageFields } from '../packages/core/src/graph/resources/custom-message.ts';
import { groupFields } from '../packages/core/src/graph/resources/external-group.ts';
import type { Field, Fields } from '../packages/core/src/graph/resources/field.ts';
import { aliasFields } from '../packages/core/src/graph/resources/group-alias.ts';
import { policyFields } from '../packages/core/src/graph/resources/policy.ts';
import { roleRefusals, tuneRefusals } from '../packages/core/src/graph/resources/refusals.ts';
import { resources } from '../packages/core/src/graph/resources/resources.ts';
import { roleFields } from '../packages/core/src/graph/resources/role.ts';
import { inertFieldsTable, trustTable } from '../packages/core/src/graph/resources/trust.ts';
import { unmodeledTable } from '../packages/core/src/graph/resources/unmodeled.ts';
import { until } from '../packages/core/src/graph/resources/until.ts';
import { errorTexts, type Wording } from '../packages/core/src/graph/values/error-texts.ts';
import { valuePattern } from '../packages/core/src/graph/values/errors.ts';
import { toCamelCase } from '../packages/core/src/graph/values/wire.ts';
import { pathsTable, typesTable } from '../packages/core/src/review/plan/type-answers.ts';
import { reviewReport } from '../packages/core/src/review/reports/json.ts';
import { gateRules } from '../packages/core/src/review/rules/gate.ts';
import { changeRules, graphRules } from '../packages/core/src/review/rules/rules.ts';
import { reviewStatement } from '../packages/core/src/statement/predicate.ts';
import { edgesTable } from '../packages/core/src/words/tables.ts';
import { officialTypeNames } from '../packages/core/test/graph/resources/official-types.ts';
import { tableOfKinds } from '../test/stacks/every-kind/steps.ts';
import { commandReference } from './command-reference.ts';
import { readmesWithNames } from './public-names.ts';

const root = new URL('..', import.meta.url);
const allRules = [...graphRules, ...changeRules, ...gateRules];

/** The tables of docs/environment.md, by their names in it. */
const tablesOfFields: Record<string, Fields> = {
  tune: tuneFields,
  config: ownConfigFields,
  role: { ...roleFields, until },
  group: {
    name: groupFields.name,
    alias: aliasFields.name,
    policies: groupFields.policies,
    metadata: groupFields.metadata,
    until,
  },
  message: messageFields,
  ...Object.fromEntries(
    resources.flatMap(({ yaml, type, fields }) => (yaml?.settings ? [[type, fields]] : [])),
  ),
};

const types: Record<Field['type'], string> = {
  text: 'text',
  flag: 'boolean',
  integer: 'integer',
  instant: 'instant',
  seconds: 'duration',
  texts: 'list of texts',
  textsByName: 'map of texts',
  claims: 'map',
  keySets: 'list of maps',
  providerConfig: 'map',
};

function row(name: string, field: Field, prefix: string): string {
  const values = 'options' in field.schema ? (field.schema.options as unknown[]) : [];
  const allowed = values.every((value) => typeof value === 'string') ? values : [];
  const takes =
    field.takes ??
    (allowed.length > 0 ? allowed.map((value) => `\`${value}\``).join(', ') : types[field.type]);
  const byDefault = field.default === undefined ? '' : `\`${field.default}\``;
  const spelling = field.wire === undefined ? '' : ` Also \`${toCamelCase(field.wire)}\`.`;
  const cells = [
    `\`${prefix}${name}\``,
    `${field.about}${spelling}`,
    takes,
    field.required ? 'required' : (field.otherwise ?? byDefault),
    field.example === undefined ? '' : `\`${field.example}\``,
  ];
  return `|${cells.join('|')}|`;
}

function tableOf(name: string): string {
  const declared = Object.entries(tablesOfFields[name] ?? {}).filter(([, { liveOnly }]) => !liveOnly);
  return [
    '|Field|Meaning|Takes|Default|Example|',
    '|---|---|---|---|---|',
    ...declared.map(([field, definition]) =>
      row(field, definition, ['tune', 'config'].includes(name) ? `${name}.` : ''),
    ),
  ].join('\n');
}

const codeOf = (text: string) => text.split('.')[0];

/** A text of the command line, with ‹values›. */
function inMarkdown(text: string): string {
  const named = text.replace(valuePattern, (_, name) => `‹${name.replace(/[A-Z]/g, ' $&').toLowerCase()}›`);
  return named.replaceAll('<', '&lt;').replaceAll('|', '\\|').replaceAll('\n', '<br>');
}

/** What is refused before anything is written. */
function tableOfChecks(): string {
  const lists = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  const tables = {
    method: configFields,
    'tuning of a method': tuneFields,
    role: roleFields,
    group: groupFields,
    policy: { name: policyFields.name },
  };
  const fields = Object.entries(tables).flatMap(([of, table]) => {
    // Fields of one check are one row.
    const groups = Map.groupBy(Object.entries<Field>(table), ([, { check }]) => check?.about);
    return [...groups].flatMap(([about, all]) =>
      about === undefined ? [] : [[of, lists(all.map(([name]) => name)), `anything but ${about}`]],
    );
  });
  const together = Object.entries({ 'tuning of a method': tuneRefusals, role: roleRefusals }).flatMap(
    ([of, refusals]) => refusals.map(({ field, about }) => [of, `\`${field}\``, about]),
  );
  const attributesOf = Object.keys(attributes).filter((name) => !attributes[name]?.isOfVault);
  const rows = [
    ['method', '`path`', `anything but ${methodPath.about}`],
    ...fields,
    ...together,
    ['policy', 'keys', 'anything but `path` and `name`'],
    ['policy', 'attributes of a path', `anything but ${lists(attributesOf)}, or one of another type`],
    ['policy', '`policy`', `anything but ${lists([...olderWords.keys()])}`],
    ['policy', 'paths', 'a `{{` without its `}}`, and `+*`'],
    ['policy', '`max_wrapping_ttl`', 'less than `min_wrapping_ttl`'],
    ['policy', '`control_group`', 'no factor, or one without a name, groups or approvals'],
  ];
  return ['|Of a|Field|Refused|', '|---|---|---|', ...rows.map((row) => `|${row.join('|')}|`)].join('\n');
}

/** What becomes of a field that changes or is removed, by the official plugin and by Gatehouse's own. Names and types are in another table. */
function tableOfOperations(): string {
  const tables = {
    method: configFields,
    'tuning of a method': tuneFields,
    role: roleFields,
    group: groupFields,
    alias: aliasFields,
    policy: policyFields,
    message: messageFields,
  };
  const removed = ({ required, cleared, reset, default: byDefault }: Field) => {
    if (required) return '–';
    if (cleared !== false) return 'written as empty';
    const written = reset ?? byDefault;
    return written === undefined ? 'the role is replaced' : `\`${written}\` is written`;
  };
  const rows = Object.entries(tables).flatMap(([of, table]) => {
    const fields = Object.entries<Field>(table).filter(
      ([name, { liveOnly }]) => !['name', 'roleType'].includes(name) && !liveOnly,
    );
    const groups = Map.groupBy(fields, ([, field]) => `${removed(field)}|${field.secret ? 'never' : 'yes'}`);
    return [...groups].map(
      ([same, all]) => `${of}|${all.map(([name]) => `\`${name}\``).join(', ')}|written|${same}`,
    );
  });
  const description =
    'method|`description`|written; by the official plugin, `up` refuses until the service has it|as changed|yes';
  return [
    '|Of a|Field|Changed|Removed|Read back|',
    '|---|---|---|---|---|',
    ...[description, ...rows].map((row) => `|${row}|`),
  ].join('\n');
}

/** A row a code: its first text, and the page that says more. Errors print what to do themselves. */
function tableOfErrors(): string {
  const areas = Object.entries(errorTexts).map(([area, texts]) => {
    const byCode = Map.groupBy(Object.entries<Wording>(texts), ([text]) => codeOf(text));
    const rows = [...byCode].map(([code, all]) => {
      const [what = ''] = all[0]?.[1] ?? [];
      const shown = /^\{\w+\}$/.test(what) ? '–' : inMarkdown(what).replace(/:$/, '');
      const pages = new Set(all.flatMap(([, [, , page]]) => page ?? []));
      return `|\`${code}\`|${shown}|${[...pages].join(', ')}|`;
    });
    return [`### ${area}\n`, '|Code|What|More|', '|---|---|---|', ...rows].join('\n');
  });
  return areas.join('\n\n');
}

function tableOfAdministration(): string {
  const codes = (texts: readonly string[]) => texts.map((text) => `\`${text}\``).join(', ');
  const rows = places.map(({ patterns, givesAny, by, why }) =>
    [codes(patterns), by === undefined ? '' : codes(by), givesAny ? 'any policy' : '', why].join('|'),
  );
  return ['|Written|Only with|Gives|Why|', '|---|---|---|---|', ...rows.map((row) => `|${row}|`)].join('\n');
}

function tableOfPresets(): string {
  const rows = Object.entries(rulePresets).flatMap(([preset, severities]) =>
    Object.entries(severities).map(([id, severity]) => `|\`${preset}\`|[\`${id}\`](#${id})|${severity}|`),
  );
  return ['|Preset|Rule|Severity|', '|---|---|---|', ...rows].join('\n');
}

/** The first line of a rule's section: its severity at worst, and what it finds. */
function headOfRule(id: string): string {
  const rule = allRules.find((candidate) => candidate.id === id);
  if (rule === undefined) throw new Error(`docs/rules.md has a section of no rule: "### ${id}"`);
  return `**${rule.severity}** · ${rule.about}`;
}

const readsWhole = `What a token needs to read the whole service, and no more: docs/whole-service.md.
Written by scripts/write-reference.ts from the table of gatehouse token-policy --whole.`;

/** The deploying policy of a stack with one of each. */
function exampleOfTokenPolicy(): string {
  const environment = parseEnvironment({
    service: { address: 'https://secrets.example.com:8200' },
    providers: [
      {
        kind: 'open_source_identity_server',
        name: 'staff',
        clientId: 'gatehouse',
        authority: 'https://id.example.com',
        realm: 'staff',
        roles: [{ name: 'reader', policies: ['secrets-read'] }],
        groups: [{ name: 'admins', alias: '/admins', policies: ['secrets-read'] }],
      },
    ],
    clientSecrets: ['staff'],
    policies: [{ name: 'secrets-read', policy: 'path "secret/*" { capabilities = ["read"] }' }],
  });
  const own = { path: '', isMade: false, graph: declare(environment) };
  const [deploying] = tokenPolicies('prod', { declared: [own] }, false);
  return deploying?.text ?? '';
}

/** A page with another text between `<!-- name -->` and the next `<!-- end -->`. */
function withBlock(page: string, name: string, text: string): string {
  const block = new RegExp(`(<!-- ${name} -->\n).*?(<!-- end -->)`, 's');
  return page.replace(block, (_, begin, end) => `${begin}\n${text}\n\n${end}`);
}

/** The products of the kinds, for people and for workloads, apart from those for any product. */
function listOfProducts(): string {
  const productsOf = (type: MethodType) =>
    providerKinds
      .filter((kind) => kindById(kind).methodType === type && !kindById(kind).fitsAnyIssuer)
      .map(productOf)
      .join(', ');
  return `- People: ${productsOf('oidc')}.\n- Workloads: ${productsOf('jwt')}.`;
}

/** @throws Error for a rule without a section, and a section without a rule */
export function rulesPage(page: string): string {
  const ids = new Set([...page.matchAll(/^### (\S+)$/gm)].map(([, id]) => id ?? ''));
  for (const { id } of allRules) {
    if (!ids.has(id)) throw new Error(`docs/rules.md has no section "### ${id}"`);
  }
  // The heading's line is written where it is missing.
  const headed = page.replace(
    /^(### (\S+)\n\n)(?:\*\*.*\n\n)?/gm,
    (_, heading, id) => `${heading}${headOfRule(id)}\n\n`,
  );
  const withPresets = withBlock(headed, 'presets', tableOfPresets());
  return withBlock(withPresets, 'administration', tableOfAdministration());
}

function environmentPage(page: string): string {
  const fields = /(<!-- fields: (\w+) -->\n).*?(\n<!-- end -->)/gs;
  const withFields = page.replace(fields, (_, begin, name, end) => `${begin}\n${tableOf(name)}\n${end}`);
  return withBlock(withFields, 'checks', tableOfChecks());
}

function accessPage(page: string): string {
  const fields = { method: { ...configFields, ...tuneFields }, role: roleFields, policy: policyFields };
  const blocks = {
    types: typesTable(officialTypeNames),
    paths: pathsTable(),
    fields: inertFieldsTable(fields),
    unmodeled: unmodeledTable(),
    trust: trustTable(),
  };
  return Object.entries(blocks).reduce(
    (written, [name, lines]) => withBlock(written, name, lines.join('\n')),
    page,
  );
}

/** The table of what leads to what, and of what a change of it decides. */
function accessReadme(page: string): string {
  return withBlock(page, 'edges', edgesTable().join('\n'));
}

/** The derived files, by path. */
export function reference(): Record<string, string> {
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
  const asJson = (schema: unknown) => `${JSON.stringify(schema, null, 2)}\n`;
  const edgesPath = 'packages/core/src/access/README.md';
  return {
    'docs/environment.md': environmentPage(read('docs/environment.md')),
    'docs/_index.md': withBlock(read('docs/_index.md'), 'products', listOfProducts()),
    'docs/providers.md': withBlock(read('docs/providers.md'), 'kinds', tableOfKinds()),
    'docs/engines.md': withBlock(read('docs/engines.md'), 'operations', tableOfOperations()),
    'docs/commands.md': withBlock(read('docs/commands.md'), 'commands', commandReference()),
    'docs/errors.md': withBlock(read('docs/errors.md'), 'errors', tableOfErrors()),
    'docs/rules.md': rulesPage(read('docs/rules.md')),
    'docs/deploying-token.hcl': exampleOfTokenPolicy(),
    'docs/reading-token.hcl': policyFor('reading', wholeService, readsWhole),
    [edgesPath]: accessReadme(read(edgesPath)),
    'docs/inside/access.md': accessPage(read('docs/inside/access.md')),
    'docs/environment.schema.json': asJson(stackFileSchema()),
    'docs/review-statement.schema.json': asJson(z.toJSONSchema(reviewStatement)),
    'docs/review.schema.json': asJson(z.toJSONSchema(reviewReport)),
  };
}

if (import.meta.main) {
  const derived = { ...reference(), ...readmesWithNames() };
  for (const [path, text] of Object.entries(derived)) writeFileSync(new URL(path, root), text);
}
