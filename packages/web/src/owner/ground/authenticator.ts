/**
 * WebAuthn with the PRF extension: asks an authenticator to make a passkey, or to sign in with one. The server checks
 * no signature, so the challenge is random and forgotten; what counts is the output of the PRF
 * (`decisions/passkeys.md`).
 */
import type { MadePasskey, PreparedPasskey } from '@blindkeep/client/owner'
import { PASSKEY_INPUT } from '@blindkeep/client/passkey'
import { toBase64 } from '@blindkeep/protocol/bytes'
import { ReasonedError } from '@blindkeep/protocol/reasonedError'

/** Why this page cannot use passkeys. */
export type PasskeyObstacle = 'unsupported' | 'ip_address' | 'prf_unsupported'

export type AuthenticatorFault = 'cancelled' | 'prf_missing' | 'not_verified' | 'present_already' | 'failed'

/** The authenticator gave no passkey that opens an account. Nothing was sent to the server. */
export class AuthenticatorError extends ReasonedError<AuthenticatorFault> {
  override readonly name = 'AuthenticatorError'

  constructor(reason: AuthenticatorFault, options?: ErrorOptions) {
    super(reason, `no passkey: ${reason}`, options)
  }
}

const CHALLENGE_BYTES = 32
const OUTPUT_BYTES = 32
/** Of authenticator data: 32 bytes are the hash of the host, then come flags (WebAuthn, 6.1). */
const FLAGS_AT = 32
const USER_VERIFIED = 0x04
/** ES256, EdDSA and RS256: no signature is checked, so any will do. */
const ALGORITHMS = [-7, -8, -257]
const PRF = { prf: { eval: { first: bufferOf(PASSKEY_INPUT) } } }

/** Undefined where passkeys can be used, as far as the browser says. */
export async function passkeyObstacle(): Promise<PasskeyObstacle | undefined> {
  if (!('PublicKeyCredential' in globalThis)) return 'unsupported'
  if (isIpAddress(location.hostname)) return 'ip_address'
  // A young function: a browser without it may have the extension.
  const capabilities = await PublicKeyCredential.getClientCapabilities?.().catch(() => undefined)
  return capabilities?.['extension:prf'] === false ? 'prf_unsupported' : undefined
}

/** `URL` has brought all spellings of IPv4 into one form. */
export function isIpAddress(hostname: string): boolean {
  return /^\d+(?:\.\d+){3}$/.test(hostname) || hostname.startsWith('[')
}

/**
 * Makes a passkey whose PRF was evaluated. Some authenticators evaluate only when they sign in, so the person may be
 * asked twice. Throws `AuthenticatorError`; a passkey that cannot be used is reported to the browser as unknown.
 */
export async function makePasskey(
  prepared: Pick<PreparedPasskey, 'userHandle' | 'present'>,
  email: string,
): Promise<MadePasskey> {
  const made = await credentialFrom(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: newChallenge(),
        rp: { id: location.hostname, name: 'Blindkeep' },
        user: { id: bufferOf(prepared.userHandle), name: email, displayName: email },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: prepared.present.map((id) => ({ type: 'public-key', id: bufferOf(id) })),
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        attestation: 'none',
        extensions: PRF,
      },
    }),
  )
  const credentialId = new Uint8Array(made.rawId)
  try {
    if (!(made.response instanceof AuthenticatorAttestationResponse)) throw new AuthenticatorError('failed')
    requireVerified(made.response.getAuthenticatorData())
    const { prf } = made.getClientExtensionResults()
    if (prf?.enabled !== true && prf?.results === undefined) throw new AuthenticatorError('prf_missing')
    const output = outputOf(made) ?? (await evaluate([credentialId])).output
    return { credentialId, output }
  } catch (error) {
    await forgetPasskey(credentialId)
    throw error
  }
}

export interface UsedPasskey {
  readonly userHandle: Uint8Array
  /** 32 bytes, SECRET. */
  readonly output: Uint8Array
}

/** Any passkey of this host that the person chooses. Throws `AuthenticatorError`. */
export function usePasskey(): Promise<UsedPasskey> {
  return evaluate([])
}

/** Tells the browser to offer the passkey no more. Not every browser can; a failure does not matter. */
export async function forgetPasskey(credentialId: Uint8Array): Promise<void> {
  if (!('PublicKeyCredential' in globalThis)) return
  const signal = { rpId: location.hostname, credentialId: base64Url(credentialId) }
  await PublicKeyCredential.signalUnknownCredential?.(signal).catch(() => undefined)
}

/** One of these passkeys, or any if there is none. */
async function evaluate(credentialIds: readonly Uint8Array[]): Promise<UsedPasskey> {
  const used = await credentialFrom(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: newChallenge(),
        rpId: location.hostname,
        allowCredentials: credentialIds.map((id) => ({ type: 'public-key', id: bufferOf(id) })),
        userVerification: 'required',
        extensions: PRF,
      },
    }),
  )
  if (!(used.response instanceof AuthenticatorAssertionResponse)) throw new AuthenticatorError('failed')
  const { authenticatorData, userHandle } = used.response
  requireVerified(authenticatorData)
  const output = outputOf(used)
  if (output === undefined) throw new AuthenticatorError('prf_missing')
  return { userHandle: new Uint8Array(userHandle ?? new ArrayBuffer(0)), output }
}

/** A second PRF is for persons whom the authenticator has not verified. It opens nothing: refuses and says why. */
function requireVerified(authenticatorData: ArrayBuffer): void {
  const flags = new Uint8Array(authenticatorData)[FLAGS_AT] ?? 0
  if ((flags & USER_VERIFIED) === 0) throw new AuthenticatorError('not_verified')
}

function outputOf(credential: PublicKeyCredential): Uint8Array | undefined {
  const first = credential.getClientExtensionResults().prf?.results?.first
  if (first === undefined) return undefined
  const output = ArrayBuffer.isView(first)
    ? new Uint8Array(first.buffer, first.byteOffset, first.byteLength)
    : new Uint8Array(first)
  return output.length === OUTPUT_BYTES ? output.slice() : undefined
}

async function credentialFrom(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await ask()
    if (credential instanceof PublicKeyCredential) return credential
  } catch (cause) {
    throw new AuthenticatorError(faultOf(cause), { cause })
  }
  throw new AuthenticatorError('cancelled')
}

function faultOf(error: unknown): AuthenticatorFault {
  if (!(error instanceof DOMException)) return 'failed'
  // The browser says no more, so that a page does not learn which authenticators a person has.
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') return 'cancelled'
  if (error.name === 'InvalidStateError') return 'present_already'
  return error.name === 'ConstraintError' ? 'not_verified' : 'failed'
}

function newChallenge(): ArrayBuffer {
  return bufferOf(crypto.getRandomValues(new Uint8Array(CHALLENGE_BYTES)))
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer
}

function base64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
