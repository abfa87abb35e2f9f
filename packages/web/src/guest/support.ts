/** Whether this browser can seal at all. */
type Missing = 'insecure' | 'old'

/** A parameter, so that tests can describe any browser. */
interface Abilities {
  readonly isSecureContext: boolean
  readonly hasSubtleCrypto: boolean
  /** `String.prototype.toWellFormed`, of 2023: the newest feature that the worker needs. */
  readonly hasToWellFormed: boolean
  readonly hasWorkers: boolean
}

export function abilitiesOfThisBrowser(): Abilities {
  return {
    isSecureContext: globalThis.isSecureContext,
    hasSubtleCrypto: globalThis.crypto?.subtle !== undefined,
    hasToWellFormed: 'toWellFormed' in String.prototype,
    hasWorkers: typeof Worker === 'function',
  }
}

/** WebCrypto exists only in secure contexts (Web Cryptography, section 10), so `insecure` is decided first. */
export function missingOf({
  isSecureContext,
  hasSubtleCrypto,
  hasToWellFormed,
  hasWorkers,
}: Abilities): Missing | undefined {
  if (!isSecureContext) return 'insecure'
  return hasSubtleCrypto && hasToWellFormed && hasWorkers ? undefined : 'old'
}
