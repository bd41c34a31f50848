import type { ProviderKind } from '../../../src/graph/kinds/kinds.ts';

/** What words ask of one place of a token: one of these values, or of these patterns. */
export interface Asked {
  at: string[];
  /** undefined: it must not be there. */
  values: unknown[] | undefined;
  isPattern: boolean;
}

/** Noun → the claim that it means, by whether its values are ids. */
const nouns: Partial<
  Record<ProviderKind, Record<string, string | { id: RegExp; ofId: string; ofName: string }>>
> = {
  github_actions: {
    repository: { id: /^\d+$/, ofId: 'repository_id', ofName: 'repository' },
    owner: { id: /^\d+$/, ofId: 'repository_owner_id', ofName: 'repository_owner' },
    ref: 'ref',
    environment: 'environment',
    event: 'event_name',
    'reusable workflow': 'job_workflow_ref',
  },
  gitlab_ci: {
    project: { id: /^\d+$/, ofId: 'project_id', ofName: 'project_path' },
    namespace: { id: /^\d+$/, ofId: 'namespace_id', ofName: 'namespace_path' },
    ref: 'ref',
    'ref type': 'ref_type',
    'protected ref': 'ref_protected',
    environment: 'environment',
    'protected environment': 'environment_protected',
    'pipeline source': 'pipeline_source',
  },
  bitbucket_pipelines: {
    repository: 'repositoryUuid',
    workspace: 'workspaceUuid',
    branch: 'branchName',
    environment: 'deploymentEnvironmentUuid',
  },
  circleci: {
    project: 'oidc.circleci.com/project-id',
    ref: 'oidc.circleci.com/vcs-ref',
    origin: 'oidc.circleci.com/vcs-origin',
    context: 'oidc.circleci.com/context-ids',
  },
  buildkite: {
    pipeline: 'pipeline_id',
    organization: { id: /^[\da-f-]{36}$/, ofId: 'organization_id', ofName: 'organization_slug' },
    'pipeline called': 'pipeline_slug',
    branch: 'build_branch',
    step: 'step_key',
  },
  hcp_terraform: {
    workspace: 'terraform_workspace_id',
    project: 'terraform_project_id',
    organization: {
      id: /^org-\w+$/,
      ofId: 'terraform_organization_id',
      ofName: 'terraform_organization_name',
    },
    'run phase': 'terraform_run_phase',
  },
};

/** Reads who is let in from words alone, as a person would. */
export function readWords(kind: ProviderKind, words: string): Asked[] {
  const plain = words.replace('any workspace, stack or module', 'any workspace');
  return split(plain, ', ').flatMap((clause) => {
    const bound = /^claim ("(?:[^"\\]|\\.)*"|\S+) (.*)$/s.exec(clause);
    if (bound) return readBound(placeOf(unquoted(bound[1] ?? '')), bound[2] ?? '');
    const [about, rest] = [
      /^(audience|source address) /.exec(clause)?.[1],
      clause.replace(/^\w+( address)? /, ''),
    ];
    if (about === 'audience') {
      return rest === 'none'
        ? { at: ['aud'], values: undefined, isPattern: false }
        : readBound(['aud'], rest);
    }
    if (about !== undefined) return { at: [about], values: split(rest, ' or '), isPattern: false };
    const parts = split(clause, ' of ').flatMap((part) => split(part, ' and '));
    return parts.flatMap((part, at) => readPart(kind, part, parts[at - 1]));
  });
}

function readBound(at: string[], text: string): Asked {
  if (text === 'without a possible value') return { at, values: [], isPattern: false };
  const isPattern = text.startsWith('like ');
  const values = split(text.replace(/^like /, ''), ' or ').map((value): unknown => JSON.parse(value));
  return { at, values, isPattern };
}

function readPart(kind: ProviderKind, part: string, before: string | undefined): Asked[] {
  if (part === 'any protected ref') return readPart(kind, 'protected ref', before);
  if (/^any |^https:/.test(part) || part === '') return [];
  if (kind === 'container_orchestrator') {
    const account = /^service account (.+)$/.exec(before ?? '')?.[1];
    const namespaces = split(/^namespace (.+)$/.exec(part)?.[1] ?? '', ' or ').map(unquoted);
    if (part.startsWith('service account ')) return [];
    if (account === undefined)
      return [{ at: ['kubernetes.io', 'namespace'], values: namespaces, isPattern: false }];
    const subject = `system:serviceaccount:${namespaces[0]}:${unquoted(account)}`;
    return [{ at: ['sub'], values: [subject], isPattern: false }];
  }
  const [noun = '', meant] =
    Object.entries(nouns[kind] ?? {})
      .sort(([one], [other]) => other.length - one.length)
      .find(([name]) => part === name || part.startsWith(`${name} `) || part.startsWith(`${name}: `)) ?? [];
  if (meant === undefined) throw new Error(`no meaning: ${part}`);
  const text = part === noun ? 'true' : part.slice(noun.length).replace(/^:? /, '');
  const values = split(text, ' or ').map((value) => ({
    text: unquoted(value.replace(/^like /, '')),
    isPattern: value.startsWith('like '),
  }));
  const isOfIds = values.every(
    (value) => typeof meant === 'object' && !value.isPattern && meant.id.test(value.text),
  );
  const claim = typeof meant === 'string' ? meant : isOfIds ? meant.ofId : meant.ofName;
  const isPattern = values.some((value) => value.isPattern);
  return [{ at: [claim], values: values.map((value) => value.text), isPattern }];
}

/** Splits outside of quotes. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (!isQuoted && text.startsWith(separator, at)) {
      parts.push(part);
      part = '';
      at += separator.length - 1;
      continue;
    }
    if (text[at] === '"') isQuoted = !isQuoted;
    part += text[at];
    if (isQuoted && text[at] === '\\') part += text[++at];
  }
  return [...parts, part];
}

function unquoted(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

function placeOf(name: string): string[] {
  if (!name.startsWith('/')) return [name];
  return name
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
