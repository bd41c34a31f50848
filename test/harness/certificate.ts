import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A self-signed certificate for 127.0.0.1 and `gatehouse.test`; undefined on a machine without openssl. */
export const certificate = makeCertificate();

function makeCertificate(): { key: string; cert: string } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:gatehouse.test'];
  try {
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const out = ['-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', ...kind, ...out, ...subject], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
