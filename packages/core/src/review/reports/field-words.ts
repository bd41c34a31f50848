import { wireNameIn } from '../../graph/resources/field.ts';
import { resourceNamed } from '../../graph/resources/resources.ts';
import type { Subject } from '../../graph/subject.ts';
import type { Review } from '../review.ts';

/** A field as people wrote it: `groupsClaim` in YAML and Pulumi, `groups_claim` in a plan of Terraform. */
export function fieldWords(type: Subject['type'], field: string, tool: Review['tool']): string {
  // The text of a policy is a word of ours: `policy of policy shop` says nothing.
  if (tool !== 'terraform' || type === 'policy') return field;
  return wireNameIn(resourceNamed(type)?.fields ?? {}, field);
}
