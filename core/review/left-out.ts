import { tables } from '../model/resources/tables.ts';
import type { Finding, Subject } from '../rules/finding.ts';
import type { PlanResources } from './plan/planned-resource.ts';

const rule = 'cannot-be-judged';

/** What a plan leaves out, and changes of the secrets service that are not looked into. */
export function leftOut({ incomplete, passedOver, resources }: PlanResources): Finding[] {
  const subject: Subject = { type: 'service', name: 'the plan' };
  const finding = { rule, subject, docs: `docs/rules.md#${rule}` };
  return [
    ...incomplete.map(
      (why): Finding => ({
        ...finding,
        severity: 'error',
        message: `This plan cannot be judged as a whole. ${why}`,
        fix: 'Make a whole plan, then review it.',
      }),
    ),
    ...passedOver
      .filter(({ ofService, changed }) => ofService && changed > 0)
      .map(
        ({ type, changed }): Finding => ({
          ...finding,
          severity: 'warning',
          message: `${changed === 1 ? 'A resource' : `${changed} resources`} of type ${type} cannot be judged: this review does not look into the type, and it may bear on access.`,
          fix: 'Read this part of the plan yourself.',
        }),
      ),
    // Access is not decided yet over what nobody declares: what such a change gives is for a reader to say.
    ...resources
      .filter(({ changes }) => changes)
      .filter(({ type, before, after }) =>
        type === 'group'
          ? (after ?? before)?.fields['type'] !== 'external'
          : type !== 'inert' && !(type in tables),
      )
      .map(
        ({ address }): Finding => ({
          ...finding,
          severity: 'warning',
          message: `The change of ${address} cannot be judged: it bears on access beside roles and external groups.`,
          fix: 'Read this part of the plan yourself.',
        }),
      ),
  ];
}
