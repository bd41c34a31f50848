import type { Graph } from '../../graph/graph.ts';
import { methodAt } from '../../graph/parts-by-name.ts';
import { policyProblems } from '../../graph/policies/policy-problems.ts';
import { type AuthMethod, tuneFields } from '../../graph/resources/auth-method.ts';
import { methodPath } from '../../graph/resources/checks.ts';
import { type Fields, problemsOf } from '../../graph/resources/field.ts';
import { type Refusal, roleRefusals, tuneRefusals } from '../../graph/resources/refusals.ts';
import { partsIn, resources } from '../../graph/resources/resources.ts';
import { methodSubject, roleSubject, type Subject, subjectOf } from '../../graph/subject.ts';
import { isEmpty } from '../../graph/values/json.ts';
import { holdsHidden } from '../plan/hidden-values.ts';
import type { GraphRule, Objection } from './rule.ts';

/** What servers refuse: an apply would end half-way. */
export const refused: GraphRule = {
  id: 'refused',
  severity: 'error',
  about: 'What servers refuse: a key, a text of a policy, fields that exclude each other.',
  check: (graph) => [...ofFields(graph), ...ofMethods(graph), ...ofRoles(graph), ...ofPolicies(graph)],
};

/** Each field by itself. Refusals of a method are in its configuration. */
function ofFields(graph: Graph): Objection[] {
  return resources.flatMap((resource) =>
    partsIn(graph, resource).flatMap((part) =>
      problems(resource.fields, 'config' in part ? part.config : part, (field) =>
        subjectOf(resource, part, field),
      ),
    ),
  );
}

function ofMethods({ methods }: Graph): Objection[] {
  return methods.flatMap((method) => {
    const subject = (field?: string) => methodSubject(method, field as keyof AuthMethod['config']);
    const ofPath = methodPath.problem(method.path);
    const { tune = {} } = method;
    return [
      ...(ofPath === undefined ? [] : [objection(subject(), ofPath)]),
      ...problems(tuneFields, tune, (field) => subject(`tune.${field}`)),
      ...together(tuneRefusals, tune, (field) => subject(`tune.${field}`)),
    ];
  });
}

function ofRoles({ roles, methods }: Graph): Objection[] {
  return roles.flatMap((role) =>
    together(roleRefusals, role, (field) => roleSubject(role, field), methodAt(methods, role.method)),
  );
}

function ofPolicies({ policies }: Graph): Objection[] {
  return policies
    .filter(({ text }) => !holdsHidden(text))
    .flatMap((policy) =>
      policyProblems(policy.text, 'any').map(({ message }) =>
        objection({ type: 'policy', name: policy.name, field: 'text' }, message),
      ),
    );
}

/** Several fields together. */
function together<Values extends object, Field extends keyof Values>(
  refusals: readonly Refusal<Values, Field>[],
  values: Values,
  subject: (field: Field) => Subject,
  method?: AuthMethod,
): Objection[] {
  return refusals
    .filter(({ field, isRefused }) => !holdsHidden(values[field]) && isRefused(values, method))
    .map(({ field, message }) => objection(subject(field), message));
}

function problems(table: Fields, values: object, subject: (field: string) => Subject): Objection[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = Object.hasOwn(table, name) ? table[name] : undefined;
    if (field?.check === undefined || isEmpty(value) || holdsHidden(value)) return [];
    return problemsOf(field, value).map(({ message }) => objection(subject(name), message));
  });
}

function objection(subject: Subject, message: string): Objection {
  return {
    subject,
    message: `Servers refuse it: ${message}.`,
    fix: 'Correct it before it is applied: what was written before it would stay.',
  };
}
