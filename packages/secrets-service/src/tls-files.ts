import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GatehouseError } from '@gatehouse/core/values';

/** Paths of PEM files. */
export interface TlsFiles {
  /** The server's certificate first, then intermediate ones. */
  certificate: string;
  /** Its private key, without a passphrase. */
  key: string;
}

/**
 * Reads a server's certificate and key, and checks early that they match and are valid now.
 *
 * @param now Milliseconds since 1970. Defaults to the system's clock.
 * @throws GatehouseError `file_unreadable`, `tls_invalid`
 */
export async function readTlsFiles(
  files: TlsFiles,
  now: number = Date.now(),
): Promise<{ cert: string; key: string }> {
  const [cert, key] = await Promise.all([read(files.certificate), read(files.key)]);
  const certificate = certificateOf(cert, files.certificate);
  if (!certificate.checkPrivateKey(keyOf(key, files.key))) {
    throw new GatehouseError('tls_invalid.pair', {
      where: files.key,
      values: { certificate: files.certificate },
    });
  }
  const { validFromDate, validToDate } = certificate;
  if (now < validFromDate.getTime() || now > validToDate.getTime()) {
    throw new GatehouseError('tls_invalid.time', {
      where: files.certificate,
      given: `valid from ${validFromDate.toISOString()} to ${validToDate.toISOString()}`,
    });
  }
  return { cert, key };
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new GatehouseError('file_unreadable.tls', { where: path, cause });
  }
}

function certificateOf(pem: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new GatehouseError('tls_invalid', { where: path });
  }
}

/** OpenSSL's error is dropped: it can hold what was read. */
function keyOf(pem: string, path: string): KeyObject {
  if (/ENCRYPTED/.test(pem)) {
    throw new GatehouseError('tls_invalid.passphrase', { where: path });
  }
  try {
    return createPrivateKey(pem);
  } catch {
    throw new GatehouseError('tls_invalid.key', { where: path });
  }
}
