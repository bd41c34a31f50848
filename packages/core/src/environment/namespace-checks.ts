import type { Promised } from '../graph/promise-settings.ts';
import { namespaceBelow } from '../graph/values/namespace-path.ts';
import { didYouMean } from '../graph/values/problem.ts';
import { partName } from '../graph/values/visible.ts';

/** A part of an environment that names its namespace. */
export interface PlacedPart {
  namespace?: string | undefined;
}

interface GivingPolicies {
  policies: string[];
}

/** The parts of an environment that can be in a namespace, read leniently. */
interface PlacedParts {
  namespaces: { path: string }[];
  providers: (PlacedPart & { roles: GivingPolicies[]; groups: GivingPolicies[] })[];
  groups: (PlacedPart & GivingPolicies & { members: string[] })[];
  policies: (PlacedPart & { name: string })[];
  exceptions: PlacedPart[];
  promises: Pick<Promised, 'on'>[];
}

type ReportPlace = (path: (string | number)[], message: string) => void;

/** The namespaces that parts name, including those that the environment does not list. */
export function namespacesIn({ providers, groups, policies, exceptions }: PlacedParts): string[] {
  return [providers, groups, policies, exceptions].flat().flatMap(({ namespace }) => namespace ?? []);
}

/** Reports namespaces that are not listed or listed twice, and what refers to something in another one. */
export function checkNamespaces(parts: PlacedParts, report: ReportPlace): void {
  const listed = parts.namespaces.map(({ path }) => path);
  listed.forEach((path, index) => {
    if (path !== '' && listed.indexOf(path) < index)
      report(['namespaces', index, 'path'], `the namespace ${JSON.stringify(path)} is listed twice`);
  });
  for (const list of ['providers', 'groups', 'policies', 'exceptions'] as const) {
    for (const [index, { namespace }] of parts[list].entries()) {
      if (namespace === undefined || listed.includes(namespace)) continue;
      const likely = didYouMean(namespace, listed);
      report(
        [list, index, 'namespace'],
        `\`namespaces\` does not list ${JSON.stringify(namespace)}. Add it, with \`exists: true\` where it is made elsewhere${likely}`,
      );
    }
  }
  for (const [index, { on: pattern }] of parts.promises.entries()) {
    const inside = listed.find((path) => path !== '' && pattern.startsWith(`${path}/`));
    if (inside === undefined) continue;
    report(
      ['promises', index, 'on'],
      `this path is in namespace ${inside}, and promises are about the environment’s own. Promise it in a stack of that namespace`,
    );
  }
  checkPolicies(parts, report);
}

/**
 * Roles and groups can have only policies of their own namespace: the same name elsewhere is another policy (measured:
 * OpenBao 2.7.2). If a policy is declared only elsewhere, that one was meant, and the name would give nothing here.
 */
function checkPolicies({ policies, providers, groups }: PlacedParts, report: ReportPlace): void {
  const places = Map.groupBy(policies, ({ name }) => name);
  const check = ({ namespace }: PlacedPart, names: string[], path: (string | number)[]) => {
    for (const [index, name] of names.entries()) {
      const declared = places.get(name.trim().toLowerCase()) ?? [];
      if (declared.length === 0 || declared.some((policy) => policy.namespace === namespace)) continue;
      const [elsewhere] = declared.map((policy) => placeText(policy.namespace));
      report(
        [...path, index],
        `the ${partName('policy', name)} is declared in ${elsewhere}, and gives nothing in ${placeText(namespace)}. Declare it there, too`,
      );
    }
  };
  for (const [index, provider] of providers.entries()) {
    for (const list of ['roles', 'groups'] as const) {
      for (const [position, part] of provider[list].entries())
        check(provider, part.policies, ['providers', index, list, position, 'policies']);
    }
  }
  for (const [index, group] of groups.entries()) check(group, group.policies, ['groups', index, 'policies']);
}

function placeText(namespace: string | undefined): string {
  return namespace === undefined ? 'the environment’s own namespace' : `namespace ${namespace}`;
}

/** Secrets of a provider in a namespace stand below `<namespace>/<provider>`. */
export function withNamesOfSecrets<Parts extends { providers: (PlacedPart & { name: string })[] }>(
  parts: Parts,
): Parts {
  const providers = parts.providers.map(({ namespace, name, ...provider }) => ({
    ...provider,
    name: name === '' ? name : namespaceBelow(namespace, name),
  }));
  return { ...parts, providers };
}
