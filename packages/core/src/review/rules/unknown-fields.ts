import type { Graph } from '../../graph/graph.ts';
import { method } from '../../graph/resources/auth-method.ts';
import { resources } from '../../graph/resources/resources.ts';
import { type Subject, subjectKey, subjectOf } from '../../graph/subject.ts';
import type { Objection } from './rule.ts';

/**
 * A graph of which some fields are unknown until a plan is applied. Rules read it as any other; what one says of a part
 * after it read such a field is left out, as the value may be another.
 */
export class UnknownFields {
  readonly graph: Graph;
  /** Parts with an unknown field that was read, with the paths of their methods. */
  readonly #read = new Map<string, string | undefined>();

  constructor(graph: Graph, unknown: readonly Subject[] = []) {
    const fields = Map.groupBy(unknown, ({ field: _, ...part }) => subjectKey(part));
    this.graph = fields.size === 0 ? graph : { ...graph };
    for (const resource of fields.size === 0 ? [] : resources) {
      const { list } = resource;
      const parts: readonly object[] = this.graph[list] ?? [];
      const watched = parts.map((part) => {
        if (resource.isOne?.(part as never) === false) return part;
        const subject = subjectOf(resource, part as never);
        const names = fields.get(subjectKey(subject))?.flatMap(({ field }) => field ?? []);
        return names === undefined ? part : this.#watched(part, new Set(names), subject);
      });
      Object.assign(this.graph, { [list]: watched });
    }
  }

  /** What a rule finds without reading what is unknown. */
  known(check: () => Objection[]): Objection[] {
    this.#read.clear();
    const objections = check();
    return this.#read.size === 0 ? objections : objections.filter(({ subject }) => !this.#isOpen(subject));
  }

  #watched<Part extends object>(part: Part, unknown: ReadonlySet<string>, subject: Subject): Part {
    return new Proxy(part, {
      get: (target, name, receiver) => {
        if (unknown.has(String(name))) this.#read.set(subjectKey(subject), subject.method);
        const value: unknown = Reflect.get(target, name, receiver);
        // An auth method's fields are those of its configuration.
        return name === 'config' ? this.#watched(Object(value), unknown, subject) : value;
      },
    });
  }

  /** Whether it is of what was read, or of its method, or of a role there. */
  #isOpen({ field: _, ...subject }: Subject): boolean {
    const { type, name, method: mount } = subject;
    return (
      this.#read.has(subjectKey(subject)) ||
      (mount !== undefined && this.#read.has(subjectKey({ type: method.type, name: mount }))) ||
      (type === method.type && [...this.#read.values()].includes(name))
    );
  }
}
