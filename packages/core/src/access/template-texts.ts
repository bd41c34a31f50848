import type { EdgeNode } from './reasons/reason.ts';

type MetadataTexts = Readonly<Record<string, string>>;

/** A group or an entity, as templates read it. */
export interface DescribedNode {
  kind: 'group' | 'entity';
  /** As the service spells it: templates tell upper and lower case apart. */
  name: string;
  /** Undefined where it is not known. */
  metadata?: MetadataTexts | undefined;
}

/** What templates read of a token. */
export interface TokenTexts {
  /** The groups that it is in, also by other groups. */
  groups: readonly DescribedNode[];
  /** Undefined for one that the service makes when it signs in, and names itself. */
  entity?: DescribedNode | undefined;
  /** Whether an entity that is not here has no metadata. */
  hasNoOther: boolean;
  /** What its sign-in says of itself, where that is known. */
  alias?: { metadata: MetadataTexts; by: EdgeNode } | undefined;
  /** Whether the alias of a template, by the accessor of its mount, is that of the sign-in. Undefined where it is not known. */
  isOwnAlias(accessor: string): boolean | undefined;
}

/** What fills in a template: a name, or metadata. */
export interface Filler {
  by: EdgeNode;
  what?: 'metadata';
}

/** A pattern of a policy as a token has it. */
export interface FilledPattern {
  /** Undefined where a template is not filled in: the service leaves out the rule. */
  pattern?: string;
  /** What known texts filled in; empty where none did. */
  fillers: readonly Filler[];
  /** What stands for a template that is not known here; equal where it stays the same. */
  unknown: readonly string[];
  /** Whether some templates are filled in and others are not. */
  isPartial: boolean;
}

type TemplateText =
  | { is: 'text'; text: string; filler: Filler }
  | { is: 'none' }
  /** What the service draws, for everyone another one. */
  | { is: 'own' }
  | { is: 'unknown'; hangsOn: string };

const template = /\{\{([^{}]*)\}\}/g;

export function hasTemplate(pattern: string): boolean {
  return pattern.includes('{{');
}

/**
 * Fills in a pattern as OpenBao does (sdk/helper/identitytpl/templating.go, `performTemplating`). What the service draws stays as it
 * is written.
 */
export function filledPattern(written: string, token: TokenTexts): FilledPattern {
  const parts = Array.from(written.matchAll(template), ([, read = '']) => partOf(read.trim(), token));
  const isLeftOut = parts.some(({ is }) => is === 'none');
  const fillers = parts.flatMap((part) => (part.is === 'text' ? part.filler : []));
  if (isLeftOut) return { fillers: [], unknown: [], isPartial: fillers.length > 0 };
  const rest = parts.values();
  const pattern = written.replace(template, (own) => {
    const { value } = rest.next();
    return value?.is === 'text' ? value.text : own;
  });
  const unknown = parts.flatMap((part) => (part.is === 'unknown' ? part.hangsOn : []));
  return { pattern, fillers, unknown, isPartial: false };
}

function partOf(read: string, token: TokenTexts): TemplateText {
  const [of, kind, ...rest] = read.split('.');
  if (of !== 'identity') return same;
  if (kind === 'entity') return ofEntity(rest, token);
  return kind === 'groups' ? ofGroups(rest, token) : same;
}

/** It is not known what it is, and it hangs on nothing that a change of names or metadata touches. */
const same: TemplateText = { is: 'unknown', hangsOn: '' };
const none: TemplateText = { is: 'none' };
const own: TemplateText = { is: 'own' };

function ofEntity([field, ...rest]: readonly string[], token: TokenTexts): TemplateText {
  const { entity, hasNoOther } = token;
  switch (field) {
    case 'id':
      return own;
    case 'name':
      return entity === undefined ? own : textOf(entity.name, { by: entity });
    case 'metadata':
      if (rest.length === 0) return same;
      if (entity === undefined) return hasNoOther ? none : same;
      return metadataOf(entity, rest.join('.'));
    case 'aliases':
      return ofAlias(rest, token);
    default:
      return same;
  }
}

function ofAlias(
  [accessor = '', what, ...rest]: readonly string[],
  { alias, isOwnAlias }: TokenTexts,
): TemplateText {
  if (what !== 'metadata' || rest.length === 0) return same;
  const isOwn = isOwnAlias(accessor);
  if (isOwn === false || alias === undefined) return same;
  const { metadata, by } = alias;
  if (isOwn === undefined || '' in metadata) return { is: 'unknown', hangsOn: JSON.stringify(metadata) };
  return fieldOf(metadata, rest.join('.'), { by, what: 'metadata' });
}

function ofGroups([by, ...rest]: readonly string[], { groups }: TokenTexts): TemplateText {
  if (groups.length === 0) return none;
  // No graph has ids.
  if (by !== 'names') return { is: 'unknown', hangsOn: JSON.stringify(groups) };
  // A name may have dots in it, and a service ends it at the first.
  const [name, field, ...fields] = rest;
  const group = groups.find((candidate) => candidate.name === name);
  // A group that is not here may be known by its id alone.
  const isNamed = groups.every(({ metadata }) => metadata !== undefined);
  if (group === undefined) return isNamed ? none : { is: 'unknown', hangsOn: JSON.stringify(groups) };
  if (field === 'id') return own;
  if (field === 'name') return textOf(group.name, { by: group });
  return field === 'metadata' ? metadataOf(group, fields.join('.')) : none;
}

function metadataOf(of: DescribedNode, field: string): TemplateText {
  const { kind, name, metadata } = of;
  if (metadata === undefined) return { is: 'unknown', hangsOn: JSON.stringify([kind, name]) };
  return fieldOf(metadata, field, { by: { kind, name }, what: 'metadata' });
}

function fieldOf(texts: MetadataTexts, field: string, filler: Filler): TemplateText {
  return Object.hasOwn(texts, field) ? textOf(texts[field] ?? '', filler) : none;
}

/** OpenBao 2.7.2 refuses texts with a slash or a wildcard unless a policy allows them, and other servers take them as they are. */
function textOf(text: string, { by, ...filler }: Filler): TemplateText {
  if (text === '' || /[/*+{}]/.test(text)) return { is: 'unknown', hangsOn: text };
  return { is: 'text', text, filler: { by: { kind: by.kind, name: by.name }, ...filler } };
}
