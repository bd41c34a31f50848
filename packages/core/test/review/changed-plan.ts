import { readFileSync } from 'node:fs';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { review } from '../../src/review/review.ts';
import { now } from './graphs.ts';

type Fields = Record<string, unknown>;
type Given = Fields | null;
interface Entry {
  address: string;
  type: string;
  change: { actions: string[]; before: Given; after: Given; after_unknown: unknown };
}

const text = readFileSync(
  `${root}/packages/core/test/review/cases/terraform/T98-import-noop-and-move.json`,
  'utf8',
);

/** A plan in which nothing changes, and what is changed of it. */
export class Plan {
  readonly #plan: { resource_changes: Entry[] } = JSON.parse(text);

  constructor() {
    for (const { change } of this.#plan.resource_changes) {
      change.actions = ['no-op'];
      change.after = change.before ?? change.after;
      change.before = change.after;
    }
  }

  #of(address: string): Entry {
    const found = this.#plan.resource_changes.find((entry) => entry.address === address);
    if (found === undefined) throw new Error(address);
    return found;
  }

  #add(address: string, action: string, before: Given, after: Given): this {
    const [type = '', name] = address.split('.');
    const change = { actions: [action], before, after, after_unknown: {} };
    this.#plan.resource_changes.push({ address, type, ...{ name, mode: 'managed' }, change });
    return this;
  }

  /** What is in it on both sides. */
  has(address: string, fields: Fields): this {
    return this.#add(address, 'no-op', fields, fields);
  }

  creates(address: string, fields: Fields): this {
    return this.#add(address, 'create', null, fields);
  }

  deletes(address: string, fields: Fields): this {
    return this.#add(address, 'delete', fields, null);
  }

  /** Adds what both sides have with what changes of it. */
  turns(address: string, both: Fields, before: Fields, after: Fields): this {
    return this.#add(address, 'update', { ...both, ...before }, { ...both, ...before, ...after });
  }

  /** Changes what is in it. */
  update(address: string, before: Fields, after: Fields, unknown: unknown = {}): this {
    const { change } = this.#of(address);
    const old = { ...change.before, ...before };
    Object.assign(change, { actions: ['update'], before: old, after: { ...old, ...after } });
    change.after_unknown = unknown;
    return this;
  }

  /** What the configuration of the plan gives to a resource. */
  given(address: string, ...fields: string[]): this {
    const expressions = Object.fromEntries(fields.map((field) => [field, {}]));
    Object.assign(this.#plan, { configuration: { root_module: { resources: [{ address, expressions }] } } });
    return this;
  }

  review() {
    return review(readPlan(JSON.stringify(this.#plan)), { now });
  }

  answer(): string {
    const { gains, losses } = this.review();
    return `gains ${gains}, losses ${losses}`;
  }
}
