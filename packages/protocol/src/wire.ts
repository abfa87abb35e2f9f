/** The service's name in identifiers (paths, headers, key labels): one constant, as the specification requires. */
export const SERVICE = 'service'

/** Header names in lower case, as in Node and fetch. */
export const HEADERS = {
  checksum: `x-${SERVICE}-checksum`,
  offset: `x-${SERVICE}-offset`,
  length: `x-${SERVICE}-length`,
  state: `x-${SERVICE}-state`,
  protocol: `x-${SERVICE}-protocol`,
  protocolMin: `x-${SERVICE}-protocol-min`,
  protocolMax: `x-${SERVICE}-protocol-max`,
  requestId: 'x-request-id',
  idempotencyKey: 'idempotency-key',
  passphraseProof: `x-${SERVICE}-passphrase-proof`,
  visit: `x-${SERVICE}-visit`,
} as const

export const IDEMPOTENCY_KEY_PATTERN = '^[\\x21-\\x7e]{1,255}$'

/** The largest integer that every JSON reader keeps exactly (RFC 8259, section 6). */
export const MAX_INTEGER = 2 ** 53 - 1
