import { parse } from 'yaml';
import type { Environment } from '../../packages/core/src/environment/environment.ts';
import { kindById, type ProviderKind, productOf } from '../../packages/core/src/graph/kinds/kinds.ts';
import { environmentOf } from './environment-block.ts';
import { blocksOf, read } from './markdown.ts';

const page = 'docs/providers.md';
const sections = read(page).split(/^## /m);

/** The section of a kind in docs/providers.md, without its heading. */
export function sectionOfKind(kind: ProviderKind): string {
  const heading = `${productOf(kind)} (\`${kind}\`)\n`;
  const section = sections.find((text) => text.startsWith(heading));
  if (section === undefined) throw new Error(`${page} has no section "## ${heading.trim()}"`);
  return section.slice(heading.length);
}

/** The entry of `gatehouse:providers` that the section has as its example. */
export function exampleProvider(kind: ProviderKind): Record<string, unknown> {
  const block = blocksOf(page, sectionOfKind(kind)).find(({ info }) => info === 'yaml provider');
  const [provider, second] = parse(block?.text ?? '[]') as Record<string, unknown>[];
  if (provider === undefined || second !== undefined) throw new Error(`${kind} has one example`);
  return provider;
}

/** The environment of that provider alone, with the secrets that it needs. */
export function exampleEnvironment(kind: ProviderKind): Environment {
  const provider = exampleProvider(kind);
  const secret = { [String(provider['name'])]: 'a secret' };
  const config = {
    'gatehouse:service': { address: 'https://secrets.example.com:8200' },
    'gatehouse:providers': [provider],
    ...(kindById(kind).methodType === 'oidc' ? { 'gatehouse:clientSecrets': secret } : {}),
    ...(kind === 'workspace_suite' ? { 'gatehouse:serviceAccountKeys': secret } : {}),
  };
  return environmentOf(JSON.stringify({ config }));
}

/** What the example declares and, of a kind for pipelines, a job that signs in. */
export function expectedOfKind(kind: ProviderKind): { declared: object; job?: Record<string, any> } {
  return parse(read(`test/docs/kinds/${kind}.yaml`));
}
