/**
 * The only Trusted Types policy of the pages: a worker's script must come from the page's own origin. The pages never
 * turn text into HTML or script, so there is no policy for these, and the browser refuses both.
 */
export function trustedWorkerUrl(url: URL): URL {
  if (url.origin !== location.origin) throw new TypeError('the script of a worker must have the origin of the page')
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypesFactory }
  if (trustedTypes === undefined) return url
  policy ??= trustedTypes.createPolicy('blindkeep-worker', { createScriptURL: (address) => address })
  return policy.createScriptURL(url.href) as unknown as URL
}

/** Created once a page, because the Content-Security-Policy refuses a second policy with the same name. */
let policy: TrustedPolicy | undefined

interface TrustedPolicy {
  createScriptURL(address: string): { toString(): string }
}

interface TrustedTypesFactory {
  createPolicy(name: string, rules: { readonly createScriptURL: (address: string) => string }): TrustedPolicy
}
