import type { SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Metrics } from './metrics.ts';

/** What the service did, for Prometheus to collect. */
export function metricsPath(metrics: Metrics): SecretsPath {
  return {
    pattern: 'sys/metrics',
    operations: {
      read: ({ request }) => {
        const format = request.query['format'] ?? '';
        if (format === 'prometheus') return { text: metrics.text() };
        throw new Refusal(400, `metric response format ${JSON.stringify(format)} unknown`);
      },
    },
  };
}
