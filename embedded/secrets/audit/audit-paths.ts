import { textField } from '../protocol/fields.ts';
import { type Reply, type SecretsPath, writeOnly } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { AuditLog } from './audit-log.ts';

/** The one audit device, the file that the service was started with. Responses are those of OpenBao 2.7. */
export function auditPaths(audit: AuditLog | undefined): SecretsPath[] {
  const named = (path = '') => (path.replace(/\/$/, '') === 'file' ? audit : undefined);
  function list(): Reply {
    if (audit === undefined) return { data: {} };
    const options = { file_path: audit.path };
    return { data: { 'file/': { description: '', local: false, options, path: 'file/', type: 'file' } } };
  }
  return [
    { pattern: 'sys/audit', operations: { read: list, list } },
    {
      pattern: 'sys/audit/:path+',
      operations: {
        update: () => {
          throw new Refusal(
            400,
            'cannot enable audit device via API; use declarative, config-based audit device management instead',
          );
        },
        delete: ({ parameters }) => {
          if (named(parameters.path) === undefined) return {};
          throw new Refusal(400, 'cannot disable configuration-managed audit device');
        },
      },
    },
    writeOnly('sys/audit-hash/:path+', ({ body, parameters }) => {
      const input = textField(body, 'input') ?? '';
      if (input === '') throw new Refusal(400, 'the "input" parameter is empty');
      const device = named(parameters.path);
      if (device === undefined) {
        throw new Refusal(400, `unknown audit backend ${JSON.stringify(`${parameters.path}/`)}`);
      }
      return { data: { hash: device.hash(input) } };
    }),
  ];
}
