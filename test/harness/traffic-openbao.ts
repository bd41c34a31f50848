import { join } from 'node:path';
import { certificate } from './certificate.ts';
import { startOpenBao } from './openbao-server.ts';
import type { LoggingOpenBao } from './recorded-traffic.ts';
import { lastingPort } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** An OpenBao with two audit devices, each with hashes of its own, and a listener that takes client certificates. */
export interface TrafficOpenBao extends LoggingOpenBao {
  /** Path of the file of the other device. */
  otherLog: string;
  /** `https://127.0.0.1:<port>` */
  tls: string;
  /** Of that listener, and of its clients. */
  certificate: NonNullable<typeof certificate>;
}

/** Starts one. Needs openssl. */
export async function startTrafficOpenBao(): Promise<TrafficOpenBao> {
  if (certificate === undefined) throw new Error('openssl is not there');
  const port = await lastingPort();
  const folder = temporaryFolder({ 'key.pem': certificate.key, 'cert.pem': certificate.cert });
  const at = (name: string) => JSON.stringify(join(folder, name));
  const device = (name: string) =>
    `audit "file" "${name}" {\n  options { file_path = ${at(`${name}.log`)} }\n}\n`;
  const listener = `listener "tcp" {
  address = "127.0.0.1:${port}"
  tls_cert_file = ${at('cert.pem')}
  tls_key_file = ${at('key.pem')}
}
`;
  const config = temporaryFolder({ 'traffic.hcl': device('main') + device('other') + listener });
  const server = await startOpenBao(join(config, 'traffic.hcl'));
  return {
    ...server,
    log: join(folder, 'main.log'),
    otherLog: join(folder, 'other.log'),
    tls: `https://127.0.0.1:${port}`,
    certificate,
  };
}
