/** Whether a guest or a receiver of a share has proven that it knows the passphrase (decisions/limits.md). */
import { timingSafeEqual } from 'node:crypto'
import { parseBase64 } from '@blindkeep/protocol/bytes'
import { CappedMap } from '@blindkeep/protocol/cappedMap'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import type { Limiter } from '../../ports/limiter.ts'
import { takeFirstWithRoom } from '../ground/firstWithRoom.ts'
import { networkOf } from '../ground/guestNetwork.ts'
import type { Refuses } from '../ground/refusals.ts'
import { sha256 } from '../ground/sha256.ts'

export interface PassphraseSettings {
  readonly passphraseTriesPerWindow: number
}

/** Wrong proofs for a link or share from sources that were wrong before, or are unknown. */
export const MAX_ATTEMPTS = 100
/**
 * First wrong proofs, one for each network. It is apart from the other limit so that a few guessers cannot use up the
 * attempt of a guest who knows the passphrase, and bounds guessing from very many networks (decisions/limits.md has the
 * numbers).
 */
const MAX_FIRST_ATTEMPTS = 1000
const WINDOW_SECONDS = 900
/** Above this, the one that was right longest ago is forgotten. */
export const MAX_PROVEN = 10_000
const MAX_PROOF_BYTES = 4096
const MALFORMED = {
  refused: 'request_malformed',
  detail: `the proof of the passphrase must be base64 of 1 to ${MAX_PROOF_BYTES} bytes`,
} as const

export interface Proof {
  /** base64 */
  readonly proof: string | undefined
  /** The address of the request. Undefined when many guests share it. */
  readonly source: string | undefined
}

/** What has a passphrase, or none. */
interface Gated {
  readonly opaqueId: OpaqueId
  /** SHA-256 of the verifier. */
  readonly verifierHash: Uint8Array | undefined
}

type Judgement =
  | { readonly is: 'right' | 'missing' | 'wrong' | 'not_needed' }
  | { readonly is: 'malformed'; readonly refusal: Refuses<'request_malformed'> }
  | { readonly is: 'limited'; readonly retryAfterSeconds: number }

type JudgePassphrase = (gated: Gated, proof: Proof) => Promise<Judgement>

/** Counts before comparing, and takes a right proof's count back: parallel guesses gain nothing. */
export function createJudgePassphrase(
  limiter: Limiter,
  { passphraseTriesPerWindow }: PassphraseSettings,
  what: 'link' | 'share',
): JudgePassphrase {
  /** Ids and sources of right proofs: guesses from elsewhere do not stop who is sending or reading. */
  const proven = new CappedMap<string, true>(MAX_PROVEN)

  function remember(guest: string): void {
    // To the end: others who are right, at links and shares of their own, do not displace a guest who goes on.
    proven.delete(guest)
    proven.set(guest, true)
  }

  return async function judgePassphrase({ opaqueId, verifierHash }, { proof, source }) {
    if (verifierHash === undefined) return { is: 'not_needed' }
    if (proof === undefined) return { is: 'missing' }
    const proofBytes = parseBase64(proof)
    if (proofBytes === undefined || proofBytes.length < 1 || proofBytes.length > MAX_PROOF_BYTES)
      return { is: 'malformed', refusal: MALFORMED }
    const guest = source === undefined ? undefined : `${opaqueId} ${source}`
    const isProven = guest !== undefined && proven.has(guest)
    const attempt = { what, opaqueId, source, guest, isProven, maxPerSource: passphraseTriesPerWindow }
    const counted = await takeFirstWithRoom(limiter, attemptLimits(attempt))
    if ('retryAfterSeconds' in counted) return { is: 'limited', ...counted }
    if (!timingSafeEqual(sha256(proofBytes), verifierHash)) return { is: 'wrong' }
    await limiter.giveBack(counted)
    if (guest !== undefined) remember(guest)
    return { is: 'right' }
  }
}

interface Attempt {
  readonly what: 'link' | 'share'
  readonly opaqueId: OpaqueId
  readonly source: string | undefined
  /** The id and the source. Undefined if the source is unknown. */
  readonly guest: string | undefined
  readonly isProven: boolean
  readonly maxPerSource: number
}

/** Many guests may share an unknown source: then only the limit of the link or share itself counts. */
function attemptLimits({ what, opaqueId, source, guest, isProven, maxPerSource }: Attempt) {
  const windowSeconds = WINDOW_SECONDS
  const ofAll = { rule: `passphrase-of-${what}`, key: opaqueId, max: MAX_ATTEMPTS, windowSeconds }
  if (guest === undefined) return [[ofAll]]
  const ofSource = { rule: `passphrase-of-${what}-and-source`, key: guest, max: maxPerSource, windowSeconds }
  if (isProven) return [[ofSource]]
  const network = `${opaqueId} ${networkOf(source)}`
  const firstOfNetwork = { rule: `first-passphrase-of-${what}-and-network`, key: network, max: 1, windowSeconds }
  const firstsOfAll = { rule: `first-passphrases-of-${what}`, key: opaqueId, max: MAX_FIRST_ATTEMPTS, windowSeconds }
  return [
    [ofSource, firstOfNetwork, firstsOfAll],
    [ofSource, ofAll],
  ]
}
