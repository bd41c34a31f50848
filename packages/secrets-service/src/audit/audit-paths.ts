import { z } from 'zod';
import { textField } from '../protocol/fields.ts';
import { op, type Reply, type RequestContext, route, type SecretsPath, writeOnly } from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { strings, textsByName } from '../protocol/schemas.ts';
import type { AuditLog } from './audit-log.ts';

const device = z.strictObject({
  ...strings('description', 'path', 'type'),
  local: z.boolean(),
  options: textsByName,
});

/** The one audit device, the file that the service was started with. Responses are those of OpenBao 2.7. */
export function auditPaths(audit: AuditLog | undefined): SecretsPath[] {
  const deviceAt = (path = '') => (path.replace(/\/$/, '') === 'file' ? audit : undefined);
  function list(): Reply {
    if (audit === undefined) return { data: {} };
    const options = { file_path: audit.path };
    return { data: { 'file/': { description: '', local: false, options, path: 'file/', type: 'file' } } };
  }
  function enable(): Reply {
    throw new RequestRefusal(
      400,
      'cannot enable audit device via API; use declarative, config-based audit device management instead',
    );
  }
  function disable({ parameters }: RequestContext): Reply {
    if (deviceAt(parameters.path) === undefined) return {};
    throw new RequestRefusal(400, 'cannot disable configuration-managed audit device');
  }
  function hash({ body, parameters }: RequestContext): Reply {
    const input = textField(body, 'input') ?? '';
    if (input === '') throw new RequestRefusal(400, 'the "input" parameter is empty');
    const device = deviceAt(parameters.path);
    if (device === undefined) {
      throw new RequestRefusal(400, `unknown audit backend ${JSON.stringify(`${parameters.path}/`)}`);
    }
    return { data: { hash: device.hash(input) } };
  }
  const listing = op('List the audit devices', list, { data: z.record(z.string(), device) });
  return [
    route('sys/audit', { read: listing, list: listing }),
    route('sys/audit/:path+', {
      update: op('Always refused: the audit log is set when the service is started', enable),
      delete: op('Refused for the existing device', disable),
    }),
    writeOnly('sys/audit-hash/:path+', 'Hash a text as the audit log does', hash, {
      body: z.object(strings('input')),
      data: z.strictObject(strings('hash')),
    }),
  ];
}
