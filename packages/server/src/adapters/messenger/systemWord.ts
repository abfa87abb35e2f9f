/** The code of an error of the system or of a library, as ECONNREFUSED. Its message may have addresses. */
export function systemWord(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : undefined
}
