import { wireNameIn } from '../../graph/resources/field.ts';
import { resourceNamed } from '../../graph/resources/resources.ts';
import type { Subject } from '../../graph/subject.ts';
import type { Review } from '../review.ts';

/** A field as people wrote it: `groupsClaim` in YAML and Pulumi, `groups_claim` in a plan of Terraform. */
export function fieldWords(type: Subject['type'], field: string, tool: Review['tool']): string {
  if (tool !== 'terraform') return field;
  const wireName = wireNameIn(resourceNamed(type)?.fields ?? {}, field);
  // `policy of policy shop` says nothing: `text of policy shop` does.
  return wireName === type ? field : wireName;
}
