/**
 * The one policy of the pages (Trusted Types): a worker's script may come from this build alone. Nothing makes HTML or script of text, so there is no policy
 * for these, and the browser refuses both.
 */
export function trustedWorkerUrl(url: URL): URL {
  if (url.origin !== location.origin) throw new TypeError('a worker’s script comes from where the page does')
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypesFactory }
  if (trustedTypes === undefined) return url
  policy ??= trustedTypes.createPolicy('blindkeep-worker', { createScriptURL: (address) => address })
  return policy.createScriptURL(url.href) as unknown as URL
}

/** Once a page: the Content-Security-Policy refuses a second one of the same name. */
let policy: TrustedPolicy | undefined

interface TrustedPolicy {
  createScriptURL(address: string): { toString(): string }
}

interface TrustedTypesFactory {
  createPolicy(name: string, rules: { readonly createScriptURL: (address: string) => string }): TrustedPolicy
}
