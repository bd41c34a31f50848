import type { Finding, Subject } from '../rules/finding.ts';
import type { PlanResources } from './plan/planned-resource.ts';

const rule = 'cannot-be-judged';

/** What a plan leaves out, and changes of the secrets service that are not looked into. */
export function leftOut({ incomplete, passedOver }: PlanResources): Finding[] {
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
  ];
}
