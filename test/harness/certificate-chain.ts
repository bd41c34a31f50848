import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server's key and chain for 127.0.0.1, and each certificate that signs it, in PEM. Made with openssl. */
export interface CertificateChain {
  key: string;
  /** Of the server and the intermediate, as a server shows them. */
  cert: string;
  root: string;
  intermediate: string;
  leaf: string;
  /** An intermediate of the same names, of another root. */
  stranger: string;
}

export function makeCertificateChain(): CertificateChain {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-chain-'));
  const at = (name: string) => join(folder, name);
  const make = (name: string, subject: string, extension: string, signer?: string) => {
    const by = signer === undefined ? [] : ['-CA', at(`${signer}.pem`), '-CAkey', at(`${signer}.key`)];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)];
    const options = ['-subj', `/CN=${subject}`, '-addext', extension, '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...by, ...options, ...files], { stdio: 'ignore' });
    return readFileSync(at(`${name}.pem`), 'utf8');
  };
  const isCa = 'basicConstraints=critical,CA:TRUE';
  try {
    const root = make('root', 'root', isCa);
    const intermediate = make('intermediate', 'intermediate', isCa, 'root');
    const leaf = make('leaf', '127.0.0.1', 'subjectAltName=IP:127.0.0.1', 'intermediate');
    make('other', 'root', isCa);
    const stranger = make('stranger', 'intermediate', isCa, 'other');
    const key = readFileSync(at('leaf.key'), 'utf8');
    return { key, cert: leaf + intermediate, root, intermediate, leaf, stranger };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
