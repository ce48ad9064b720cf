/** Makes TLS certificates of a private authority: for the demo's webhook receiver, and for the receivers of tests. */
const dayMs = 86_400_000;
const keyKind = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;
/** Codes of the alternative names in X.509. */
const altNameType = { dns: 2, ip: 7 } as const;

/** A certificate with its private key, both as PEM: the options of `https.createServer`. */
export interface Certificate {
  cert: string;
  key: string;
}

export interface CertificateRequest {
  names?: readonly string[];
  addresses?: readonly string[];
  /** From now on. Default: 365 */
  days?: number;
  /** Replaces `days`; in the past for an expired certificate. */
  notAfter?: Date;
  /** It is for a client that shows it to a server. Default: for a server. */
  isClient?: boolean;
}

/** Loading it takes a third of the start of a launcher, and most of them have their certificate. */
const selfsigned = () => import('selfsigned');

/** A new authority that nobody trusts yet. */
export async function makeAuthority(commonName = 'Tidings local authority', days = 365): Promise<Certificate> {
  const { generate } = await selfsigned();
  const pems = await generate([{ name: 'commonName', value: commonName }], {
    ...keyKind,
    ...validity(new Date(Date.now() + days * dayMs)),
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert: pems.cert, key: pems.private };
}

/** A server certificate (or client certificate) for these names and addresses. */
export async function issueCertificate(authority: Certificate, request: CertificateRequest): Promise<Certificate> {
  const { names = [], addresses = [], days = 365, notAfter = new Date(Date.now() + days * dayMs), isClient = false } = request;
  const altNames = [...names.map((value) => ({ type: altNameType.dns, value })), ...addresses.map((ip) => ({ type: altNameType.ip, ip }))];
  const { generate } = await selfsigned();
  const pems = await generate([{ name: 'commonName', value: names[0] ?? addresses[0] ?? 'nobody' }], {
    ...keyKind,
    ...validity(notAfter),
    ca: { cert: authority.cert, key: authority.key },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', ...(isClient ? { clientAuth: true } : { serverAuth: true }) },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { cert: pems.cert, key: pems.private };
}

/** It begins a day early, because clocks may differ. For an expired certificate, it begins a day before the end. */
const validity = (notAfter: Date) => ({
  notBeforeDate: new Date(Math.min(Date.now(), notAfter.getTime()) - dayMs),
  notAfterDate: notAfter,
});
