/**
 * A throw-away certificate for the sandbox's remote-looking name, made anew at every start, good for one day.
 *
 * Its key never leaves memory; the certificate itself is the `ca_file` that trusts it, and nothing else does.
 */
import { generate } from 'selfsigned';

export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM, in memory only. */
  readonly key: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export const makeCertificate = async (name: string): Promise<Certificate> => {
  const now = Date.now();
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // Clocks in containers and guests differ by a little.
    notBeforeDate: new Date(now - DAY_MS / 24),
    notAfterDate: new Date(now + DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  });
  return { certificate: made.cert, key: made.private };
};
