import { method, trimmed } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import type { Step } from '@gatehouse/engine';

/** What a service says of a plan before anything is written. */
export interface PlanCheck {
  /** What would fail, each with why: one sentence or two. */
  failures: string[];
  /** What could not be asked. */
  notes: string[];
}

const mountToken = method.official?.pulumi;
/** Whether a step is of an auth method. */
export const isMount = ({ type }: Step) => type === mountToken;
export const isCreate = ({ op }: Step) => op === 'create' || op === 'create-replacement';
export const isDelete = ({ op }: Step) => op === 'delete' || op === 'delete-replaced';

/** A text among the inputs that a step gives its resource; empty where there is none. */
export function newTextIn({ newState }: Step, name: string): string {
  const value = newState?.inputs[name];
  return typeof value === 'string' ? value : '';
}

/** A text that the resource of a step had before; empty where there was none. */
export function oldTextIn({ oldState }: Step, name: string): string {
  const value = oldState?.outputs[name] ?? oldState?.inputs[name];
  return typeof value === 'string' ? value : '';
}

/** The namespace that the resource of a step is in, or was. */
export const namespaceIn = (step: Step) =>
  trimmed(newTextIn(step, 'namespace') || oldTextIn(step, 'namespace'));

/** The answer; undefined for a path that is missing, or that this token may not read. */
export async function orUndefined<Answer>(reading: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof GatehouseError) return undefined;
    throw error;
  }
}
