import { GatehouseError } from '../core/model/values/errors.ts';

/** How a change is approved before it is made. */
export const Approval = {
  /** Beforehand: `--yes`. */
  given: 'given',
  /** By asking the person at the terminal, with the plan before their eyes. */
  ask: 'ask',
  /** Not at all: nobody is there to be asked. */
  none: 'none',
} as const;
export type Approval = (typeof Approval)[keyof typeof Approval];

/** @throws GatehouseError `confirmation_needed` where nobody has approved and nobody can be asked */
export function requireApproval(approval: Approval, command: string): void {
  if (approval !== Approval.none) return;
  throw new GatehouseError({
    code: 'confirmation_needed',
    what: `${command} changes things, and nobody can be asked here`,
    fix: `Look at what it would do with gatehouse preview, then run it with --yes.`,
  });
}
