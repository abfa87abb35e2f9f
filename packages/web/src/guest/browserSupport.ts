/** Whether the browser can seal. `insecure`: not loaded over HTTPS. `old`: it lacks a feature. */
type Missing = 'insecure' | 'old'

/** The features that `missingSupport` checks. Tests pass the features of browsers that they do not have. */
interface BrowserFeatures {
  readonly isSecureContext: boolean
  readonly hasSubtleCrypto: boolean
  /** `String.prototype.toWellFormed`, of 2023: the newest feature that the worker needs. */
  readonly hasToWellFormed: boolean
  readonly hasWorkers: boolean
}

export function browserFeatures(): BrowserFeatures {
  return {
    isSecureContext: globalThis.isSecureContext,
    hasSubtleCrypto: globalThis.crypto?.subtle !== undefined,
    hasToWellFormed: 'toWellFormed' in String.prototype,
    hasWorkers: typeof Worker === 'function',
  }
}

/** Undefined for nothing. `insecure` first: such pages have no WebCrypto (Web Cryptography, section 10). */
export function missingSupport({
  isSecureContext,
  hasSubtleCrypto,
  hasToWellFormed,
  hasWorkers,
}: BrowserFeatures): Missing | undefined {
  if (!isSecureContext) return 'insecure'
  return hasSubtleCrypto && hasToWellFormed && hasWorkers ? undefined : 'old'
}
