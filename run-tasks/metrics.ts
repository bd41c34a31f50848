type Labels = Record<string, string>;

interface Series {
  help: string;
  type: 'counter' | 'gauge';
  read(): Promise<{ labels: Labels; value: number }[]>;
}

/** Figures of this process, as Prometheus reads them (text format 0.0.4). A label never holds text from outside. */
export class Metrics {
  readonly #series = new Map<string, Series>();

  /** A figure that only grows. @returns adds to it */
  counter(name: string, help: string): (labels?: Labels, by?: number) => void {
    const values = new Map<string, { labels: Labels; value: number }>();
    this.#series.set(name, { help, type: 'counter', read: async () => [...values.values()] });
    return (labels = {}, by = 1) => {
      const key = JSON.stringify(labels);
      const entry = values.get(key) ?? { labels, value: 0 };
      entry.value += by;
      values.set(key, entry);
    };
  }

  /** A figure that is looked up when it is asked for. */
  gauge(name: string, help: string, read: Series['read']): void {
    this.#series.set(name, { help, type: 'gauge', read });
  }

  async text(): Promise<string> {
    const parts: string[] = [];
    for (const [name, { help, type, read }] of this.#series) {
      parts.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const { labels, value } of await read()) {
        const inner = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
        parts.push(`${name}${inner.length === 0 ? '' : `{${inner.join(',')}}`} ${value}`);
      }
    }
    return `${parts.join('\n')}\n`;
  }
}
