/** Whether this browser can seal at all. */
export type Missing = 'insecure' | 'old'

/** Of a browser; passed in, so that it can be asked of one that is not there. */
export interface Abilities {
  readonly isSecureContext: boolean
  readonly hasSubtleCrypto: boolean
  /** What the worker is written with and older browsers lack; the newest of it is of 2023. */
  readonly hasNewTexts: boolean
  readonly hasWorkers: boolean
}

export function abilitiesOfThisBrowser(): Abilities {
  return {
    isSecureContext: globalThis.isSecureContext,
    hasSubtleCrypto: globalThis.crypto?.subtle !== undefined,
    hasNewTexts: 'toWellFormed' in String.prototype,
    hasWorkers: typeof Worker === 'function',
  }
}

/** WebCrypto is there in secure contexts alone (Web Cryptography, section 10), so the address comes first. */
export function missingOf({
  isSecureContext,
  hasSubtleCrypto,
  hasNewTexts,
  hasWorkers,
}: Abilities): Missing | undefined {
  if (!isSecureContext) return 'insecure'
  return hasSubtleCrypto && hasNewTexts && hasWorkers ? undefined : 'old'
}
