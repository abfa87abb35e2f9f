/** What a story sends: sealed bytes are any bytes for the server. */
export interface Facts {
  readonly baseUrl: string
  readonly email: string
  readonly opaqueId: string
  readonly sealed: Uint8Array<ArrayBuffer>
  /** SHA-256 of `sealed`, lowercase hex. */
  readonly hash: string
  /** Base64 of 1120 bytes. */
  readonly kemCt: string
}

/** Smaller than `sealed`. */
export const MAX_FILE_BYTES = 10

/** A registration with the e-mail alone, and its proof by a new key (docs/formats.md, "A proof"). */
export async function registration(email: string, { serverId, nonce }: Readonly<Record<'serverId' | 'nonce', string>>) {
  const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
  const members = joined('email\0', uint32(email.length), email)
  const texts = ['service/proof/1', 'POST /v1/auth/register', serverId, nonce].map((text) => `${text}\0`)
  const message = joined(...texts, await crypto.subtle.digest('SHA-256', members))
  const signature = await crypto.subtle.sign('Ed25519', privateKey, message)
  return {
    email,
    proof: { key: base64(await crypto.subtle.exportKey('raw', publicKey)), nonce, signature: base64(signature) },
  }
}

function uint32(number: number): ArrayBuffer {
  const bytes = new DataView(new ArrayBuffer(4))
  bytes.setUint32(0, number)
  return bytes.buffer
}

function joined(...parts: readonly (string | ArrayBuffer)[]): Uint8Array<ArrayBuffer> {
  const encode = new TextEncoder()
  return Uint8Array.from(
    parts.flatMap((part) => [...(typeof part === 'string' ? encode.encode(part) : new Uint8Array(part))]),
  )
}

const base64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
