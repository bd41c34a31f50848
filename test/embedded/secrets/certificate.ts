import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new key and certificate for 127.0.0.1, and their files. `remove` deletes the files. */
export function makeCertificate(): {
  key: Buffer;
  cert: Buffer;
  certPath: string;
  keyPath: string;
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
  const [keyPath, certPath] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', keyPath, '-out', certPath], {
    stdio: 'ignore',
  });
  return {
    key: readFileSync(keyPath),
    cert: readFileSync(certPath),
    certPath,
    keyPath,
    remove: () => rmSync(folder, { recursive: true }),
  };
}
