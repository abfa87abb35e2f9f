/** Checks whether this browser has the features that sealing needs. `insecure`: the page was not loaded over HTTPS. `old`: the browser lacks a feature. */
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

/** Undefined when nothing is missing. An insecure page has no WebCrypto in any browser (Web Cryptography, section 10), so `insecure` is checked first. */
export function missingSupport({
  isSecureContext,
  hasSubtleCrypto,
  hasToWellFormed,
  hasWorkers,
}: BrowserFeatures): Missing | undefined {
  if (!isSecureContext) return 'insecure'
  return hasSubtleCrypto && hasToWellFormed && hasWorkers ? undefined : 'old'
}
