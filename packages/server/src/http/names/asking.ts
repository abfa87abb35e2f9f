/** Asks an address that need not be what it should be: no redirect is followed, and time and size are bounded. */

const TIMEOUT_MS = 10_000
const MAX_BYTES = 8 * 1024 * 1024

export interface Answer {
  readonly status: number
  /** Where a redirect leads, as it was given. */
  readonly location: string | undefined
  /** At most 8 MiB of it. */
  readonly body: string
}

/** What came in that time, or why nothing did: a clause for people, without a full stop. */
export async function ask(url: string, timeoutMs = TIMEOUT_MS): Promise<Answer | { readonly silence: string }> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await fetch(url, { redirect: 'manual', signal, headers: { 'cache-control': 'no-cache' } })
    const location = answer.headers.get('location') ?? undefined
    return { status: answer.status, location, body: await textOf(answer) }
  } catch (error) {
    return { silence: signal.aborted ? `nothing answers within ${timeoutMs / 1000} seconds` : silenceOf(error, url) }
  }
}

async function textOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    pieces.push(piece)
    size += piece.length
    if (size > MAX_BYTES) break
  }
  return Buffer.concat(pieces).subarray(0, MAX_BYTES).toString()
}

function silenceOf(error: unknown, url: string): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const { hostname } = new URL(url)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `this machine finds no address for the name ${hostname}`
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (/CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE/.test(code))
    return `this machine does not accept its certificate (${code}). One of an authority of your own has to be in the file that NODE_EXTRA_CA_CERTS names, in the environment`
  if (/^(ERR_SSL|EPROTO)/.test(code)) return `no TLS connection comes about (${code})`
  if (/^HPE_/.test(code)) return 'what answers there does not speak HTTP'
  return `no answer comes (${code || (cause instanceof Error ? cause.message : String(cause))})`
}
