/** Whether a guest has proven that it knows the passphrase of a link. */
import { timingSafeEqual } from 'node:crypto'
import { parseBase64 } from '@blindkeep/protocol/bytes'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { Link } from '../../ports/store.ts'
import type { Refuses } from '../refusals.ts'
import { sha256 } from '../sha256.ts'

export interface PassphraseSettings {
  readonly passphraseTriesPerWindow: number
}

const MAX_ATTEMPTS_PER_LINK = 100
const WINDOW_SECONDS = 900
const MAX_PROOF_BYTES = 4096

export interface Proof {
  /** base64 */
  readonly proof: string | undefined
  /** The address of the request. Undefined when many guests share it. */
  readonly source: string | undefined
}

type ProofRefusal = Refuses<
  'passphrase_missing' | 'passphrase_wrong' | 'link_limited' | 'declaration_malformed' | 'request_malformed'
>

type JudgeProof = (link: Link, proof: Proof) => Promise<ProofRefusal | undefined>

/** Counts each attempt before it compares the proof, and takes the count back for a right proof. So parallel guesses gain nothing. */
export function createJudgeProof(limiter: Limiter, { passphraseTriesPerWindow }: PassphraseSettings): JudgeProof {
  return async function judgeProof({ opaqueId, verifierHash }, { proof, source }) {
    if (verifierHash === undefined) {
      return proof === undefined
        ? undefined
        : { refused: 'declaration_malformed', detail: 'this link asks for no passphrase' }
    }
    if (proof === undefined) return { refused: 'passphrase_missing' }
    const proofBytes = parseBase64(proof)
    if (proofBytes === undefined || proofBytes.length < 1 || proofBytes.length > MAX_PROOF_BYTES)
      return {
        refused: 'request_malformed',
        detail: `/passphrase_proof must be base64 of 1 to ${MAX_PROOF_BYTES} bytes`,
      }
    const limits = attemptLimits(opaqueId, source, passphraseTriesPerWindow)
    const retryAfterSeconds = await limiter.take(limits)
    if (retryAfterSeconds !== undefined) return { refused: 'link_limited', retryAfterSeconds }
    if (!timingSafeEqual(sha256(proofBytes), verifierHash)) return { refused: 'passphrase_wrong' }
    await limiter.giveBack(limits)
    return undefined
  }
}

/** Many guests may share an unknown source: then only the link's own limit counts. */
function attemptLimits(opaqueId: OpaqueId, source: string | undefined, maxPerSource: number): readonly Limit[] {
  const windowSeconds = WINDOW_SECONDS
  const ofLink = { rule: 'passphrase-of-link', key: opaqueId, max: MAX_ATTEMPTS_PER_LINK, windowSeconds }
  if (source === undefined) return [ofLink]
  const key = `${opaqueId} ${source}`
  return [{ rule: 'passphrase-of-link-and-source', key, max: maxPerSource, windowSeconds }, ofLink]
}
