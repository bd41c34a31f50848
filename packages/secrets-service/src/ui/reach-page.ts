import { type Content, facts, html, type PageAnswer, type SafeHtml, table, tags } from '@gatehouse/host';
import { allowed } from './ask.ts';
import { type Page, reachPath, type SignedInVisit, site } from './page.ts';

/** A token's permissions on a path (`sys/internal/ui/resultant-acl`). A parameter without values may have any value. */
interface Permissions {
  capabilities?: string[];
  allowed_parameters?: Record<string, unknown[]>;
  denied_parameters?: Record<string, unknown[]>;
  required_parameters?: string[];
}
interface ResultantAcl {
  root?: boolean;
  exact_paths?: Record<string, Permissions>;
  glob_paths?: Record<string, Permissions>;
}

/** The access of the signed-in person. Few people may read their policies, but every token may ask for their sum. */
export const reachPages: Page<SignedInVisit>[] = [{ pattern: /^reach$/, get: reach }];

async function reach(visit: SignedInVisit): Promise<PageAnswer> {
  const path = 'sys/internal/ui/resultant-acl';
  const acl = (await allowed(visit.ask({ operation: 'read', path })))?.data as ResultantAcl | undefined;
  return site.answer({
    visit,
    title: 'What you can reach',
    current: reachPath,
    lead: html`<p>By all policies of your token, as they are now.</p>`,
    body:
      acl === undefined
        ? html`<p>Your policies do not let you ask for this here. The policy <code>default</code> allows it, in the namespace of the token.</p>`
        : acl.root === true
          ? html`<p>Everything: your token has the policy <code>root</code>, which no rule limits.</p>`
          : rulesOf(acl, visit.person.namespace),
  });
}

/** Rules that a page lists. */
const mostListed = 1000;

function rulesOf(
  { exact_paths: exact = {}, glob_paths: prefixes = {} }: ResultantAcl,
  namespace: string,
): SafeHtml {
  const all = [
    ...Object.entries(exact),
    ...Object.entries(prefixes).map(([path, rule]): [string, Permissions] => [`${path}*`, rule]),
  ].sort(([path], [otherPath]) => (path < otherPath ? -1 : 1));
  const rows = all
    .slice(0, mostListed)
    .map(([path, rule]) => [
      path === '' ? html`<span class="quiet">the empty path</span>` : html`<span class="id">${path}</span>`,
      tags(rule.capabilities?.length ? rule.capabilities : ['none']),
      limitsOf(rule),
    ]);
  return html`${howToRead(namespace)}
${all.length === 0 ? html`<p>Nothing.</p>` : table(['Path', 'Capabilities', 'Limits'], rows)}
${all.length > mostListed && html`<p>${all.length - mostListed} more are not listed.</p>`}`;
}

/** The rule by which the rows decide, and what they leave out: without it, they mislead. */
function howToRead(namespace: string): SafeHtml {
  return html`<section class="notice" aria-labelledby="reading"><h2 id="reading">One row decides a request</h2>
<p>It is the row of the path itself, else the longest that ends in <code>*</code> and begins the path. <code>deny</code> in
that row refuses the request, and so does a path without a row.${
    namespace !== '' && ' Paths begin at the namespace of your token.'
  }</p>
<p class="quiet">Not shown, as the service leaves it out: paths with <code>+</code> for any segment, which may decide instead of a row here;
when a rule ends; limits on wrapping; and approvals that a request needs.</p></section>`;
}

function limitsOf(rule: Permissions): Content {
  const { required_parameters: required = [], allowed_parameters: allowed, denied_parameters: denied } = rule;
  const rows: [string, Content][] = [
    ['Requires', required.length > 0 && required.join(', ')],
    ['Only', parameters(allowed, 'any other field')],
    ['Never', parameters(denied, 'any field')],
  ];
  return rows.some(([, value]) => value !== false) && facts(rows, 'slim');
}

function parameters(byName: Record<string, unknown[]> = {}, otherNames: string): string | false {
  const texts = Object.entries(byName).map(([name, values]) => {
    const what = name === '*' ? otherNames : name;
    return values.length === 0 ? what : `${what}: ${values.map((value) => valueText(value)).join(' or ')}`;
  });
  return texts.length > 0 && texts.join('; ');
}

function valueText(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
