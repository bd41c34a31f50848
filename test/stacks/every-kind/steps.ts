import {
  kindById,
  type ProviderKind,
  productOf,
  providerKinds,
} from '../../../packages/core/src/graph/kinds/kinds.ts';

/** What is done with a provider of every kind, in this order: the columns of docs/providers.md. */
export const steps = [
  'declare',
  'preview',
  'apply',
  'sign in',
  'groups',
  'who-can',
  'drift',
  'rotate',
  'destroy',
] as const;
export type StepOfKind = (typeof steps)[number];

/** Whether a test takes a kind through a step. The page says why not. */
export function takes(kind: ProviderKind, step: StepOfKind): boolean {
  if (step !== 'groups') return true;
  // The suite's own directory is asked for them, at an address that no service lets anybody change.
  return kindById(kind).hasNoGroups !== true && kind !== 'workspace_suite';
}

export const kindsThatTake = (step: StepOfKind) => providerKinds.filter((kind) => takes(kind, step));

/** Of the kind's section, as GitHub makes it. */
const anchorOf = (kind: ProviderKind) => `${productOf(kind).toLowerCase().replaceAll(' ', '-')}-${kind}`;

/** The table in Markdown. */
export function tableOfKinds(): string {
  const row = (cells: string[]) => `|${cells.join('|')}|`;
  return [
    row(['Kind', 'Type', 'Product', ...steps]),
    row(['---', '---', '---', ...steps.map(() => ':-:')]),
    ...providerKinds.map((kind) =>
      row([
        `[\`${kind}\`](#${anchorOf(kind)})`,
        kindById(kind).methodType,
        productOf(kind),
        ...steps.map((step) => (takes(kind, step) ? '✓' : '–')),
      ]),
    ),
  ].join('\n');
}
