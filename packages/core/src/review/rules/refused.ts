import type { Graph } from '../../graph/graph.ts';
import { policyProblems } from '../../graph/policies/policy-problems.ts';
import { configFields, type MethodConfig } from '../../graph/resources/auth-method.ts';
import { methodPath } from '../../graph/resources/checks.ts';
import { type Fields, problemsOf } from '../../graph/resources/field.ts';
import { policy } from '../../graph/resources/policy.ts';
import { type Role, roleFields } from '../../graph/resources/role.ts';
import { roleRefusals } from '../../graph/resources/role-refusals.ts';
import { methodSubject, roleSubject, type Subject } from '../../graph/subject.ts';
import { isEmpty } from '../../graph/values/json.ts';
import { holdsHidden } from '../plan/hidden-values.ts';
import type { GraphRule, Objection } from './rule.ts';

/** What servers refuse: an apply would end half-way. */
export const refused: GraphRule = {
  id: 'refused',
  severity: 'error',
  about: 'What servers refuse: a key, a text of a policy, fields that exclude each other.',
  check: (graph) => [...ofMethods(graph), ...ofRoles(graph), ...ofPolicies(graph)],
};

function ofMethods({ methods }: Graph): Objection[] {
  return methods.flatMap((method) => {
    const ofPath = methodPath.problem(method.path);
    return [
      ...(ofPath === undefined ? [] : [objection(methodSubject(method), ofPath)]),
      ...problems(configFields, method.config, (field) => methodSubject(method, field as keyof MethodConfig)),
    ];
  });
}

function ofRoles({ roles }: Graph): Objection[] {
  return roles.flatMap((role) => [
    ...problems(roleFields, role, (field) => roleSubject(role, field as keyof Role)),
    ...roleRefusals
      .filter(({ field, isRefused }) => !holdsHidden(role[field]) && isRefused(role))
      .map(({ field, message }) => objection(roleSubject(role, field), message)),
  ]);
}

function ofPolicies({ policies }: Graph): Objection[] {
  return policies
    .filter(({ text }) => !holdsHidden(text))
    .flatMap(({ name, text }) =>
      policyProblems(text, 'any').map(({ message }) =>
        objection({ type: policy.type, name, field: 'text' }, message),
      ),
    );
}

function problems(table: Fields, values: object, subjectOf: (field: string) => Subject): Objection[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = Object.hasOwn(table, name) ? table[name] : undefined;
    if (field?.check === undefined || isEmpty(value) || holdsHidden(value)) return [];
    return problemsOf(field, value).map(({ message }) => objection(subjectOf(name), message));
  });
}

function objection(subject: Subject, message: string): Objection {
  return {
    subject,
    message: `Servers refuse it: ${message}.`,
    fix: 'Correct it before it is applied: what was written before it would stay.',
  };
}
